import {
  type Catalogue as CatalogueAnswer,
  emptySchema,
  FILTER_NAMES,
  type FilterName,
  forEachFilter,
  type InputParameter,
  REPORT_REQUEST_DEFAULTS,
  type ReportRequest,
} from '@counterfoil/protocol'
import * as z from 'zod'
import { LIMITS, type Role } from '@counterfoil/common'
import { type Queries, readRows } from '@counterfoil/engine'
import { FORMATS } from '@counterfoil/formats'
import { FILTER_COLUMNS, HIERARCHY } from '@counterfoil/ledger'
import type { Login } from '@counterfoil/store'
import {
  currencyOf,
  exampleValue,
  filteredCurrency,
  isFor,
  parametersOf,
  type Template,
  type TemplateParameter,
  TIMEZONE,
} from '@counterfoil/templates'
import { answerCaller } from '../authenticate/authenticate.ts'
import type { Outcome, ReceivedRequest } from '../outcome/outcome.ts'
import { parseJson, parseMembers } from '../outcome/parse-json.ts'
import { CONFIGURATION_PARAMETERS, configurationParametersOf } from './configuration.ts'
import { ACCOUNT_ROLES, schemaHashOf } from './content.ts'
import type { ReportDependencies } from './handle-report.ts'
import { reportsOf } from './prepare-report.ts'
import { viewOf } from './scope.ts'

export interface CatalogueDependencies extends ReportDependencies {
  /** Returns the endpoints that a login can use in form operations. */
  readonly endpointsOf: (
    login: Login,
  ) => Promise<readonly { readonly endpoint_id: string; readonly currency: string }[]>
}

export async function handleCatalogue(
  dependencies: CatalogueDependencies,
  request: ReceivedRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  const { identify, engineQueue, engine, newestRows, catalogue, now } = dependencies
  return await answerCaller(identify, request, signal, async ({ login }) => {
    const { name, role, timezone = dependencies.timezone } = login
    if (request.body.length > 0) parseMembers(emptySchema, parseJson(request.body))
    const endpoints = await dependencies.endpointsOf(login)
    // In a place of the login, as a report.
    const read = async () => ({
      newestRows: {
        transactions: await newestRows.of('transactions', login, signal),
        statements: await newestRows.of('statements', login, signal),
      },
      filterValues: await readFilterValues(login, engine, signal),
    })
    const content = {
      login: name,
      role,
      ...(await engineQueue.run(name, read, signal)),
      syncedAt: await dependencies.syncedAt(),
      reports: reportsOf(catalogue(), role).map(({ template }) => {
        return describeReport(template, role, timezone, now())
      }),
      endpoints: endpoints.map(({ endpoint_id: id, currency }) => ({ id, currency })),
    }
    return { kind: 'reply', content }
  })
}

/** Describes a report in the catalogue for a role. Leaves out everything that the role may not see. */
function describeReport(template: Template, role: Role, timezone: string, now: number) {
  const { identifier, title, description, note, formats, totals, statement } = template
  const seen = template.columns.filter((column) => isFor(column, role))
  const isSeen = (name: string): boolean => seen.some((column) => column.name === name)
  return {
    reportIdentifier: identifier,
    title,
    description,
    ...(note !== undefined && { note }),
    formats,
    encodings: [...new Set(formats.flatMap((name) => FORMATS[name].encodings))],
    columns: seen.map((column) => {
      const { name, kind, about, optional } = column
      const currency = currencyOf(template, column)
      const isShown = currency !== undefined && isFor(currency, role)
      return { name, kind, about, ...(isShown && { currencyColumn: currency.name }), optional }
    }),
    schemaHash: schemaHashOf(template, role),
    inputReportParameters: parametersOf(template).map((one) => describeParameter(one, timezone)),
    configurationReportParameters: CONFIGURATION_PARAMETERS.map((parameter) => ({
      ...describeParameter(parameter, timezone),
      formats: formats.filter((name) => {
        return configurationParametersOf(FORMATS[name]).includes(parameter)
      }),
    })),
    filters: FILTER_NAMES,
    currencyFilter: filteredCurrency(template),
    ...(totals && {
      totals: {
        by: totals.by.filter(isSeen),
        columns: totals.columns.filter(isSeen),
        ...(statement && { balances: describeBalances(statement) }),
      },
    }),
    example: exampleRequest(template, now),
  }
}

/** Every role of the report has the columns of its statements. */
function describeBalances(statement: NonNullable<Template['statement']>) {
  const { opening, closing } = statement
  return { opening, closing, account: ACCOUNT_ROLES.map((role) => statement[role]) }
}

function describeParameter(parameter: TemplateParameter, timezone: string) {
  const { name, title, type, required, list, allowed, lengthMax } = parameter
  const usual = name === TIMEZONE.name ? timezone : parameter.default
  return {
    name,
    title,
    type,
    required,
    list,
    ...(usual !== undefined && { default: usual }),
    // There are hundreds of time zones, and every system knows them.
    ...(allowed && { allowed: allowed === 'timezones' ? 'IANA time zones' : allowed }),
    ...(lengthMax !== undefined && { lengthMax }),
  }
}

/** Makes a request that is ready to send, with every member. Its period is (the end of) the month before `now`. */
export function exampleRequest(template: Template, now: number): ReportRequest {
  const ends = periodBefore(now, template.period?.daysMax)
  const inputReportParameters = parametersOf(template).flatMap((parameter): InputParameter[] => {
    const { name, type, required } = parameter
    const value = ends.get(name) ?? (required ? exampleValue(parameter) : undefined)
    return value === undefined ? [] : [{ type, name, value }]
  })
  return {
    reportIdentifier: template.identifier,
    reportEncode: REPORT_REQUEST_DEFAULTS.reportEncode,
    reportName: template.identifier,
    reportCsvDelimiter: REPORT_REQUEST_DEFAULTS.reportCsvDelimiter,
    reportFormat: template.formats[0] ?? REPORT_REQUEST_DEFAULTS.reportFormat,
    configurationReportParameters: [],
    inputReportParameters,
    outputReportParameters: [],
    filters: forEachFilter(() => []),
  }
}

const DAY_MS = 86_400_000

function periodBefore(now: number, daysMax = 31): ReadonlyMap<string, string> {
  const today = new Date(now)
  const to = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1)
  const month = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 1)
  const from = Math.max(month, to - daysMax * DAY_MS)
  const day = (instant: number): string => new Date(instant).toISOString().slice(0, 10)
  return new Map([
    ['dateFrom', day(from)],
    ['dateTo', day(to)],
  ])
}

const filterRow = z.object({
  filter: z.enum(FILTER_NAMES),
  values: z.array(z.object({ id: z.string(), name: z.string() })),
})

/**
 * Reads what a login may filter by: the ids of its part of today's hierarchy with their names, and the currencies
 * of its statements. Values are ordered by name. Of each filter it reads `LIMITS.filterValuesListedMax` values, and
 * whether there are more.
 */
async function readFilterValues(
  viewer: Pick<Login, 'role' | 'sees'>,
  engine: Queries,
  signal: AbortSignal,
): Promise<NonNullable<CatalogueAnswer['filterValues']>> {
  const own = viewOf(viewer)
  const where = own === '' ? '' : `WHERE ${own}`
  const max = LIMITS.filterValuesListedMax
  // A missing id is an empty text.
  const pairs = FILTER_NAMES.map((name) => `('${name}', ifNull(${FILTER_COLUMNS[name]}, ''))`)
  const names = FILTER_NAMES.filter((name) => name !== 'currencies').map(selectNames)
  const sql = `
SELECT filter, groupArray(CAST((id, name), 'Tuple(id String, name String)')) AS values
FROM (
  SELECT filter, id, if(filter = 'currencies', id, ifNull(names.name, '')) AS name
  FROM (
    SELECT DISTINCT pair.1 AS filter, pair.2 AS id
    FROM (
      SELECT arrayJoin([${pairs.join(', ')}]) AS pair FROM (${HIERARCHY}) ${where}
      UNION ALL
      SELECT DISTINCT ('currencies', toString(currency)) AS pair FROM statements ${where}
    )
  ) AS ids
  LEFT JOIN (${names.join(' UNION ALL ')}) AS names USING (filter, id)
  WHERE id != ''
  ORDER BY filter, name, length(id), id
  LIMIT ${max + 1} BY filter
)
GROUP BY filter`
  const settings = { join_use_nulls: 1, output_format_json_named_tuples_as_objects: 1 }
  const rows = await readRows(engine, filterRow, { sql, parameters: {}, settings }, signal)
  return forEachFilter((name) => {
    const values = rows.find(({ filter }) => filter === name)?.values ?? []
    return { values: values.slice(0, max), more: values.length > max }
  })
}

function selectNames(filter: FilterName): string {
  return `SELECT '${filter}' AS filter, ${FILTER_COLUMNS[filter]} AS id, name FROM ${filter} FINAL`
}
