import type { EngineQuery } from '../engine/engine.ts'
import { fieldProblem } from '../errors.ts'
import type { Format, FormatStyle } from '../format/format.ts'
import type { Role } from '../store/store.ts'
import { isFreeText, neutraliseText, printed } from '../templates/column-kinds.ts'
import {
  type Choice,
  compileTemplate,
  compileTotals,
  SELECT_SETTINGS,
} from '../templates/compile-template.ts'
import { formatInstant } from '../templates/instants.ts'
import { isFor, type Template, type TemplateColumn, UNFILTERED } from '../templates/template.ts'
import { chooseColumns } from './columns.ts'
import { onCreatedDays } from './created-days.ts'
import type { Envelope } from './envelope.ts'
import { axisNameOf, type RequestedValues } from './parameters.ts'
import { presentationOf } from './presentation.ts'
import type { Scope } from './scope.ts'

/** Everything that a report's query is made of. */
export interface PlanParts {
  readonly template: Template
  readonly values: RequestedValues
  readonly scope: Scope
  /** The days on which the report's transactions may have come; every day, where there is no list of them. */
  readonly createdDays?: readonly string[] | undefined
  readonly format: Format
  readonly envelope: Envelope
  readonly role: Role
  /** Milliseconds since 1970: when the report was asked for. */
  readonly now: number
}

/** A report as it is going to be: what comes first, and the query of the rest. */
export interface ReportPlan {
  readonly contentType: string
  readonly head: Uint8Array
  readonly query: EngineQuery
}

/** The titles of a report's columns, and the query that makes them. */
interface Compiled {
  readonly titles: readonly string[]
  readonly compile: (choice: Omit<Choice, 'columns'>) => string
}

/**
 * Makes the one query of a report. The scope lies below the report's SQL, on every table of the ledger, wherever the
 * SQL names it. Every value of a caller is bound; the scope is written into the query, of ids and codes that were
 * checked. Throws `invalid-parameter` for columns and totals that there are not.
 */
export function planReport(parts: PlanParts): ReportPlan {
  const { values, scope, createdDays, format, envelope, now } = parts
  const presentation = presentationOf(values.configuration)
  const { titles, compile } = presentation.totalsOnly ? planTotals(parts) : planRows(parts)
  const style: FormatStyle = {
    ...presentation.style,
    delimiter: envelope.reportCsvDelimiter,
    // A lone field that is empty would be an empty line, which is no row to most readers.
    quoteAll: presentation.style.quoteAll || titles.length === 1,
  }
  const within = createdDays && onCreatedDays(createdDays)
  const sql = compile({
    hasValue: (name) => Object.hasOwn(values.input, name),
    axis: axisNameOf(values.input),
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
      parameters: { ...values.input, ...within?.parameters, now: formatInstant(now) },
      settings: { ...tableFilters(scope), ...SELECT_SETTINGS },
      format: format.engineFormat,
      role: 'report',
    },
  }
}

function planRows({ template, envelope, role }: PlanParts): Compiled {
  const chosen = chooseColumns(template, envelope.outputReportParameters, role)
  const columns = chosen.map(({ column }) => column)
  return {
    titles: chosen.map(({ title }) => title),
    compile: (choice) => compileTemplate(template, { ...choice, columns }),
  }
}

function planTotals({ template, envelope, role }: PlanParts): Compiled {
  const { totals } = template
  if (!totals) {
    const pointer = '/configurationReportParameters'
    throw fieldProblem('invalid-parameter', [
      { pointer, expected: 'no totals: this report has none' },
    ])
  }
  if (envelope.outputReportParameters.length > 0) {
    const expected = "none beside totals: which columns totals have is the report's"
    throw fieldProblem('invalid-parameter', [{ pointer: '/outputReportParameters', expected }])
  }
  const named = (names: readonly string[]): readonly TemplateColumn[] => {
    return template.columns.filter((column) => names.includes(column.name) && isFor(column, role))
  }
  const [by, sums] = [named(totals.by), named(totals.columns)]
  const titles = [...by.map(({ name }) => name), 'Rows', ...sums.map(({ name }) => name)]
  return { titles, compile: (choice) => compileTotals(template, { by, sums }, choice) }
}

function tableFilters({ conditions }: Scope): EngineQuery['settings'] {
  if (conditions.size === 0) return {}
  const filters = [...conditions].map(([name, condition]) => {
    // With its database: a table's name that stands for another table takes no filter of that one.
    const key = name === UNFILTERED ? name : `default.${name}`
    return `'${key}': '${condition.replaceAll("'", "\\'")}'`
  })
  return { additional_table_filters: `{${filters.join(', ')}}` }
}
