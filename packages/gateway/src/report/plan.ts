import { SELECT_SETTINGS, type Settings } from '../clickhouse/settings.ts'
import { tableFilters } from '../clickhouse/table-filters.ts'
import type { EngineQuery } from '../engine/engine.ts'
import type { FileCheck, FilePlan, FormatSettings, ReportFile } from '../formats/format.ts'
import { formatInstant } from '../instants.ts'
import { UNFILTERED } from '../templates/template.ts'
import { onCreatedDays } from './created-days.ts'
import { axisNameOf, type ParameterValues } from './parameters.ts'
import type { PreparedReport } from './prepare-report.ts'
import { schemaHashOf } from './schema-hash.ts'
import type { Scope } from './scope.ts'

/** The values that the engine and the clock add to a prepared report. */
export interface RuntimeValues {
  /** The values of the report's parameters, with its time zone bound. */
  readonly input: ParameterValues
  readonly scope: Scope
  /** The days on which the report's transactions may have been created. All days by default. */
  readonly createdDays?: readonly string[] | undefined
  /** How many fraction digits each currency has, if the format needs them. */
  readonly exponents?: ReadonlyMap<string, number> | undefined
  readonly formatSettings?: FormatSettings | undefined
  /** The time of the report, in milliseconds since 1970. */
  readonly now: number
  readonly runId: string
}

/** What a query depends on beside its report. */
type QueryOfFile = Pick<FilePlan, 'select' | 'engineFormat' | 'settings'>

/** A planned report: the query of its rows, and how its file is made of them. */
export interface ReportPlan {
  readonly query: EngineQuery
  readonly file: FilePlan
  /** The query that runs first, and the function that reads its rows. */
  readonly check: { readonly query: EngineQuery; readonly read: FileCheck['read'] } | undefined
}

/**
 * Builds the query of a report, and a second one if the report must be checked first. The scope filters every table of
 * the ledger wherever the report's SQL names it. All values of the caller are bound, except the scope: it consists of
 * checked ids and codes and is a part of the query.
 */
export function planReport(prepared: PreparedReport, runtime: RuntimeValues): ReportPlan {
  const { input, scope, createdDays, now } = runtime
  const file = prepared.format.plan(fileOf(prepared, runtime))
  const within = createdDays && onCreatedDays(createdDays)
  const queryOf = ({ select, engineFormat, settings }: QueryOfFile): EngineQuery => ({
    sql: prepared.content.compile({
      hasValue: (name) => Object.hasOwn(input, name),
      axis: axisNameOf(input),
      within: within?.sql,
      select,
    }),
    parameters: { ...input, ...within?.parameters, now: formatInstant(now) },
    settings: { ...filtersOf(scope), ...settings, ...SELECT_SETTINGS },
    format: engineFormat,
    role: 'report',
    flow: prepared.viewer.login,
  })
  const { check } = file
  return {
    file,
    query: queryOf(file),
    check: check && { query: queryOf(check), read: check.read },
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
    charts: content.charts,
    values: presentation.values,
    style: presentation.style,
    exponents,
    settings: formatSettings,
    about: {
      title,
      note,
      identifier,
      name: envelope.reportName,
      login: viewer.login,
      timezone: String(values.input['timezone']),
      parameters: values.input,
      filters: Object.fromEntries(filters),
      schemaHash: schemaHashOf(report.template, viewer.role),
      madeAt: now,
      runId,
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
