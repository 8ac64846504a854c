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
import { placeholderOf, UNFILTERED } from '@counterfoil/templates'
import { schemaHashOf } from './content.ts'
import type { Changes } from './changes.ts'
import { amountsSql, totalsQuery } from './control-totals.ts'
import type { PreparedReport } from './prepare-report.ts'
import { axisNameOf, type ParameterValues } from './parameters.ts'
import type { Scope } from './scope.ts'

/** The values that the engine and the clock add to a prepared report. */
export interface RuntimeValues {
  /** The values of the report's parameters, with its time zone bound. */
  readonly input: ParameterValues
  readonly scope: Scope
  /** The days on which the report's transactions may have been created. All days by default. */
  readonly createdDays?: readonly string[] | undefined
  readonly changes?: Changes | undefined
  /** How many fraction digits each currency has, if the format needs them. */
  readonly exponents?: ReadonlyMap<string, number> | undefined
  readonly formatSettings?: FormatSettings | undefined
  /** The time of the report, in milliseconds since 1970. */
  readonly now: number
  readonly runId: string
}

/** A planned report: the query of its rows, and how its file is made of them. */
export interface ReportPlan {
  readonly query: EngineQuery
  readonly file: FilePlan
  /** A query that runs before the report's query, and the function that reads its rows. */
  readonly check: { readonly query: EngineQuery; readonly read: FileCheck['read'] } | undefined
  readonly totals: EngineQuery | undefined
}

export function planReport(prepared: PreparedReport, runtime: RuntimeValues): ReportPlan {
  const file = prepared.format.plan(fileOf(prepared, runtime))
  const { settings, check } = file
  const queryOf = (
    format: EngineQuery['format'],
    select: EngineFilePlan['select'],
    own?: Settings,
  ): EngineQuery => compileQuery(prepared, runtime, select, format, own)
  const textsOf = (select: FileCheck['select'], own?: Settings): EngineQuery => {
    return queryOf('RawBLOB', (columns) => [`${select(columns)} AS _row`], own)
  }
  return {
    query:
      file.rows === 'texts'
        ? textsOf(file.select, settings)
        : queryOf(file.rows, file.select, settings),
    file,
    check: check && { query: textsOf(check.select), read: check.read },
    totals: prepared.presentation.controlTotals
      ? totalsQuery(queryOf('JSONEachRow', (columns) => [amountsSql(columns)], settings))
      : undefined,
  }
}

/**
 * Compiles a query over the rows of a report. The scope filters every table of the ledger wherever the report's SQL
 * names it. All values of the caller are bound, except the scope: it consists of checked ids and codes and is a part of
 * the query.
 */
function compileQuery(
  { content }: PreparedReport,
  { input, scope, createdDays, changes, now }: RuntimeValues,
  select: EngineFilePlan['select'],
  format: EngineQuery['format'],
  settings?: Settings,
): EngineQuery {
  const sql = content.compile({
    hasValue: (name) => Object.hasOwn(input, name),
    axis: axisNameOf(input),
    // No report file can use this name.
    within: createdDays && 'toDate32(created_at) IN {_createdDays:Array(Date32)}',
    select,
  })
  const values = Object.entries(input).map(([name, value]) => [placeholderOf(name), value])
  const filters = [...scope].map(([name, condition]) => {
    // The database is a part of the name, so that an alias with a table's name does not get that table's filter.
    return [name === UNFILTERED ? name : `default.${name}`, condition] as const
  })
  return {
    sql,
    parameters: {
      ...Object.fromEntries(values),
      ...(createdDays && { _createdDays: createdDays }),
      ...changes?.parameters,
      now: formatInstant(now),
    },
    settings: {
      ...tableFilters(filters),
      ...settings,
      ...SELECT_SETTINGS,
      ...subSelectSettings(sql),
    },
    format,
    role: 'report',
  }
}

function fileOf(
  { content, envelope, presentation, report, input, viewer }: PreparedReport,
  { now, runId, exponents, formatSettings }: RuntimeValues,
): ReportFile {
  const { identifier, title, note, parameters } = report.template
  // The engine takes booleans as 0 and 1.
  const booleans = parameters
    .filter(({ name, type, list }) => type === 'INPUT_BOOLEAN' && !list && name in input)
    .map(({ name }) => [name, Number(input[name]) === 1])
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
      timezone: String(input['timezone']),
      parameters: withoutCardNumbers({ ...input, ...Object.fromEntries(booleans) }),
      filters: Object.fromEntries(filters),
      schemaHash: schemaHashOf(report.template, viewer.role),
      madeAt: now,
      runId,
    },
  }
}

function withoutCardNumbers(values: ReportAbout['parameters']): ReportAbout['parameters'] {
  const entries = Object.entries(values).map(([name, value]) => {
    const text = withoutCardNumber([value].flat().join(', '))
    return [name, text === CARD_NUMBER_MARK ? text : value]
  })
  return Object.fromEntries(entries)
}
