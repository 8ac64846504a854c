import { printed } from '../clickhouse/print-columns.ts'
import { SELECT_SETTINGS, type Settings } from '../clickhouse/settings.ts'
import { tableFilters } from '../clickhouse/table-filters.ts'
import { isFreeText, neutraliseText } from '../column-kinds.ts'
import type { EngineQuery } from '../engine/engine.ts'
import type { FormatStyle } from '../formats/format.ts'
import { formatInstant } from '../instants.ts'
import { UNFILTERED } from '../templates/template.ts'
import { onCreatedDays } from './created-days.ts'
import { axisNameOf, type ParameterValues } from './parameters.ts'
import type { PreparedReport } from './prepare-report.ts'
import type { Scope } from './scope.ts'

/** The values that the engine and the clock add to a prepared report. */
export interface RuntimeValues {
  /** The values of the report's parameters, with its time zone bound. */
  readonly input: ParameterValues
  readonly scope: Scope
  /** The days on which the report's transactions may have been created. All days by default. */
  readonly createdDays?: readonly string[] | undefined
  /** The time of the report, in milliseconds since 1970. */
  readonly now: number
}

/** A planned report: its first bytes, and the query of its rows. */
export interface ReportPlan {
  readonly contentType: string
  readonly head: Uint8Array
  readonly query: EngineQuery
}

/**
 * Builds the one query of a report. The scope filters every table of the ledger wherever the report's SQL names it. All
 * values of the caller are bound, except the scope: it consists of checked ids and codes and is a part of the query.
 */
export function planReport(prepared: PreparedReport, runtime: RuntimeValues): ReportPlan {
  const { content, format, envelope, presentation } = prepared
  const { input, scope, createdDays, now } = runtime
  const { titles, compile } = content
  const style: FormatStyle = {
    ...presentation.style,
    delimiter: envelope.reportCsvDelimiter,
    // An empty field alone in its row would be an empty line, which most readers skip.
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
      return [`${format.row(fields, style)} AS _row`]
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
      flow: prepared.viewer.login,
    },
  }
}

function filtersOf({ conditions }: Scope): Settings {
  return tableFilters(
    [...conditions].map(([name, condition]) => {
      // The database is a part of the name, so that an alias with a table's name does not get that table's filter.
      return [name === UNFILTERED ? name : `default.${name}`, condition]
    }),
  )
}
