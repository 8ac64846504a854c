import {
  type EngineQuery,
  SELECT_SETTINGS,
  type Settings,
  subSelectSettings,
  tableFilters,
} from '@counterfoil/engine'
import type {
  EngineFilePlan,
  FileCheck,
  FilePlan,
  FormatSettings,
  ReportAbout,
  ReportFile,
} from '@counterfoil/formats'
import { CARD_NUMBER_MARK, formatInstant, withoutCardNumber } from '@counterfoil/common'
import { placeholderOf, type Template, UNFILTERED } from '@counterfoil/templates'
import type { Changes } from './changes.ts'
import { amountsSql, totalsQuery } from './control-totals.ts'
import { onCreatedDays } from './created-days.ts'
import { axisNameOf, type ParameterValues } from './parameters.ts'
import type { PreparedReport } from './prepare-report.ts'
import { schemaHashOf } from './describe-report.ts'
import type { Scope } from './scope.ts'

/** The values that the engine and the clock add to a prepared report. */
export interface RuntimeValues {
  /** The values of the report's parameters, with its time zone bound. */
  readonly input: ParameterValues
  readonly scope: Scope
  /** The days on which the report's transactions may have been created. All days by default. */
  readonly createdDays?: readonly string[] | undefined
  /** The changes of the run, if the report has them. */
  readonly changes?: Changes | undefined
  /** How many fraction digits each currency has, if the format needs them. */
  readonly exponents?: ReadonlyMap<string, number> | undefined
  readonly formatSettings?: FormatSettings | undefined
  /** The time of the report, in milliseconds since 1970. */
  readonly now: number
  readonly runId: string
}

/** What a query depends on beside its report. */
interface Selection {
  readonly select: EngineFilePlan['select']
  readonly format: EngineQuery['format']
  readonly settings?: Settings | undefined
}

/** A query that runs before the report's query, and the function that reads its rows. */
interface QueryBefore {
  readonly query: EngineQuery
  readonly read: FileCheck['read']
}

/** A planned report: the query of its rows, and how its file is made of them. */
export interface ReportPlan {
  readonly query: EngineQuery
  readonly file: FilePlan
  readonly before: readonly QueryBefore[]
  /** The query of the control totals, if the request asks for them. */
  readonly totals: EngineQuery | undefined
}

/** Plans the queries of a report: that of its rows, those that run before it, and that of its control totals. */
export function planReport(prepared: PreparedReport, runtime: RuntimeValues): ReportPlan {
  const file = prepared.format.plan(fileOf(prepared, runtime))
  const { settings, check } = file
  const queryOf = (selection: Selection) => compileQuery(prepared, runtime, selection)
  const before: QueryBefore[] = []
  if (check) {
    const query = queryOf({
      select: (columns) => [asRow(check.select(columns))],
      format: 'RawBLOB',
    })
    before.push({ query, read: check.read })
  }
  const selectAmounts: Selection['select'] = (columns) => [`${amountsSql(columns)} AS _amounts`]
  const totals = prepared.presentation.controlTotals
    ? totalsQuery(queryOf({ select: selectAmounts, format: 'JSONEachRow', settings }))
    : undefined
  const query =
    file.rows === 'texts'
      ? queryOf({ select: (columns) => [asRow(file.select(columns))], format: 'RawBLOB', settings })
      : queryOf({ select: file.select, format: file.rows, settings })
  return { query, file, before, totals }
}

/** Names the only column of a result in the format `RawBLOB`. */
function asRow(sql: string): string {
  return `${sql} AS _row`
}

/**
 * Compiles a query over the rows of a report. The scope filters every table of the ledger wherever the report's SQL
 * names it. All values of the caller are bound, except the scope: it consists of checked ids and codes and is a part of
 * the query.
 */
export function compileQuery(
  { content }: Pick<PreparedReport, 'content'>,
  { input, scope, createdDays, changes, now }: RuntimeValues,
  { select, format, settings }: Selection,
): EngineQuery {
  const within = createdDays && onCreatedDays(createdDays)
  const sql = content.compile({
    hasValue: (name) => Object.hasOwn(input, name),
    axis: axisNameOf(input),
    within: within?.sql,
    select,
  })
  return {
    sql,
    parameters: {
      ...Object.fromEntries(
        Object.entries(input).map(([name, value]) => [placeholderOf(name), value]),
      ),
      ...within?.parameters,
      ...changes?.parameters,
      now: formatInstant(now),
    },
    settings: { ...filtersOf(scope), ...settings, ...SELECT_SETTINGS, ...subSelectSettings(sql) },
    format,
    role: 'report',
  }
}

function fileOf(
  prepared: PreparedReport,
  { now, runId, exponents, formatSettings }: RuntimeValues,
): ReportFile {
  const { content, envelope, presentation, report, values, viewer } = prepared
  const { identifier, title, note } = report.template
  const filters = Object.entries(envelope.filters).filter(([, listed]) => listed.length > 0)
  return {
    columns: content.columns,
    sums: content.sums,
    statement: content.statement,
    values: presentation.values,
    style: presentation.style,
    exponents,
    settings: formatSettings,
    about: {
      title,
      note,
      identifier,
      name: withoutCardNumber(envelope.reportName),
      login: viewer.login,
      timezone: String(values.input['timezone']),
      parameters: shownValues({ ...values.input, ...booleansOf(report.template, values.input) }),
      filters: Object.fromEntries(filters),
      schemaHash: schemaHashOf(report.template, viewer.role),
      madeAt: now,
      runId,
    },
  }
}

/** Returns the values for the file, which shows no card number that a caller sends. */
function shownValues(values: ReportAbout['parameters']): ReportAbout['parameters'] {
  const entries = Object.entries(values).map(([name, value]) => {
    const text = withoutCardNumber([value].flat().join(', '))
    return [name, text === CARD_NUMBER_MARK ? text : value]
  })
  return Object.fromEntries(entries)
}

/** Returns the booleans of a report's parameters. The engine takes them as 0 and 1. */
function booleansOf(
  { parameters }: Pick<Template, 'parameters'>,
  input: ParameterValues,
): Readonly<Record<string, boolean>> {
  const booleans = parameters.filter(({ name, type, list }) => {
    return type === 'INPUT_BOOLEAN' && !list && Object.hasOwn(input, name)
  })
  return Object.fromEntries(booleans.map(({ name }) => [name, Number(input[name]) === 1]))
}

function filtersOf({ conditions }: Scope): Settings {
  return tableFilters(
    [...conditions].map(([name, condition]) => {
      // The database is a part of the name, so that an alias with a table's name does not get that table's filter.
      return [name === UNFILTERED ? name : `default.${name}`, condition]
    }),
  )
}
