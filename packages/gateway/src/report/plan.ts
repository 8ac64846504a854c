import type { EngineQuery } from '../engine/engine.ts'
import type { FormatStyle } from '../formats/format.ts'
import { printed } from '../clickhouse/print-columns.ts'
import { formatInstant } from '../instants.ts'
import { UNFILTERED } from '../templates/template.ts'
import { onCreatedDays } from './created-days.ts'
import { axisNameOf, type ParameterValues } from './parameters.ts'
import type { PreparedReport } from './prepare-report.ts'
import type { Scope } from './scope.ts'
import { SELECT_SETTINGS, type Settings } from '../clickhouse/settings.ts'
import { tableFilters } from '../clickhouse/table-filters.ts'
import { isFreeText, neutraliseText } from '../column-kinds.ts'

/** What the engine and the clock told of a prepared report. */
export interface Findings {
  /** The values of its parameters, with its time zone bound. */
  readonly input: ParameterValues
  readonly scope: Scope
  /** The days on which the report's transactions may have come; every day, where there is no list of them. */
  readonly createdDays?: readonly string[] | undefined
  /** Milliseconds since 1970: when the report was asked for. */
  readonly now: number
}

/** A report as it is going to be: what comes first, and the query of the rest. */
export interface ReportPlan {
  readonly contentType: string
  readonly head: Uint8Array
  readonly query: EngineQuery
}

/**
 * Makes the one query of a report. The scope lies below the report's SQL, on every table of the ledger, wherever the
 * SQL names it. Every value of a caller is bound; the scope is written into the query, of ids and codes that were
 * checked.
 */
export function planReport(prepared: PreparedReport, findings: Findings): ReportPlan {
  const { content, format, envelope, presentation } = prepared
  const { input, scope, createdDays, now } = findings
  const { titles, compile } = content
  const style: FormatStyle = {
    ...presentation.style,
    delimiter: envelope.reportCsvDelimiter,
    // A lone field that is empty would be an empty line, which is no row to most readers.
    quoteAll: presentation.style.quoteAll || titles.length === 1,
  }
  const within = createdDays && onCreatedDays(createdDays)
  const sql = compile({
    hasValue: (name) => Object.hasOwn(input, name),
    axis: axisNameOf(input),
    within: within?.sql,
    select: (columns) => {
      const fields = columns.map(({ kind, sql: column }) => {
        const text = printed(kind, column, presentation.values)
        return { text, mayHoldQuotes: isFreeText(kind) }
      })
      return [format.row(fields, style)]
    },
  })
  return {
    contentType: format.contentType(style),
    head: format.head(presentation.values.neutralise ? titles.map(neutraliseText) : titles, style),
    query: {
      sql,
      parameters: { ...input, ...within?.parameters, now: formatInstant(now) },
      settings: { ...filtersOf(scope), ...SELECT_SETTINGS },
      format: format.engineFormat,
      role: 'report',
    },
  }
}

function filtersOf({ conditions }: Scope): Settings {
  return tableFilters(
    [...conditions].map(([name, condition]) => {
      // With its database: a table's name that stands for another table takes no filter of that one.
      return [name === UNFILTERED ? name : `default.${name}`, condition]
    }),
  )
}
