import { createHash } from 'node:crypto'
import {
  type CatalogueBalances,
  type CatalogueColumn,
  FILTER_NAMES,
  type FilterValue,
  type InputParameter,
  REPORT_REQUEST_DEFAULTS,
  type ReportRequest,
} from '@counterfoil/protocol'
import { FORMATS } from '@counterfoil/formats'
import type { Role } from '@counterfoil/common'
import {
  currencyOf,
  exampleValue,
  filteredCurrency,
  isFor,
  parametersOf,
  type Template,
  type TemplateColumn,
  type TemplateParameter,
  TIMEZONE,
} from '@counterfoil/templates'
import { CONFIGURATION_PARAMETERS, configurationParametersOf } from './configuration-parameters.ts'

const DAY_MS = 86_400_000

/** Describes a report in the catalogue for a role. Leaves out everything that the role may not see. */
export function describeReport(template: Template, role: Role, timezone: string, now: number) {
  const { identifier, title, description, note, formats, totals, statement } = template
  const columns = template.columns
    .filter((column) => isFor(column, role))
    .map((column) => describeColumn(template, column, role))
  const isSeen = (name: string): boolean => columns.some((column) => column.name === name)
  return {
    reportIdentifier: identifier,
    title,
    description,
    ...(note !== undefined && { note }),
    formats,
    encodings: [...new Set(formats.flatMap((name) => FORMATS[name].encodings))],
    columns,
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

function describeColumn(template: Template, column: TemplateColumn, role: Role): CatalogueColumn {
  const { name, kind, about, optional } = column
  const currency = currencyOf(template, column)
  const currencyColumn = currency && isFor(currency, role) ? currency.name : undefined
  return { name, kind, about, ...(currencyColumn !== undefined && { currencyColumn }), optional }
}

/** Every role of the report has the columns of its statements. */
function describeBalances(statement: NonNullable<Template['statement']>): CatalogueBalances {
  const { opening, closing, holder, holderId, account, accountId, currency } = statement
  return { opening, closing, account: [holder, holderId, account, accountId, currency] }
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

/**
 * Makes an example request that is ready to send, with every member of the envelope and all required parameters. Its
 * period is the previous month, or the last `daysMax` days of that month.
 *
 * @param now milliseconds since 1970
 */
export function exampleRequest(template: Template, now: number): ReportRequest {
  const ends = periodBefore(now, template.period?.daysMax)
  const inputReportParameters = parametersOf(template).flatMap((parameter): InputParameter[] => {
    const { name, type, required } = parameter
    const value = ends.get(name) ?? (required ? exampleValue(parameter) : undefined)
    return value === undefined ? [] : [{ type, name, value }]
  })
  const none: readonly FilterValue[] = []
  return {
    reportIdentifier: template.identifier,
    reportEncode: REPORT_REQUEST_DEFAULTS.reportEncode,
    reportName: template.identifier,
    reportCsvDelimiter: REPORT_REQUEST_DEFAULTS.reportCsvDelimiter,
    reportFormat: template.formats[0] ?? REPORT_REQUEST_DEFAULTS.reportFormat,
    configurationReportParameters: [],
    inputReportParameters,
    outputReportParameters: [],
    filters: Object.fromEntries(FILTER_NAMES.map((name) => [name, none])),
  }
}

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

/** Returns a short hash of the columns that a role may see, which changes when they change. */
export function schemaHashOf({ identifier, columns }: Template, role: Role): string {
  const seen = columns
    .filter((column) => isFor(column, role))
    .map(({ name, kind, optional }) => [name, kind, optional])
  return createHash('sha256')
    .update(JSON.stringify([identifier, seen]))
    .digest('hex')
    .slice(0, 16)
}
