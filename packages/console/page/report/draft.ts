import type {
  CatalogueParameter,
  CatalogueReport,
  FilterName,
  InputParameter,
  ReportRequest,
} from '@counterfoil/protocol'
import { computed, effect, signal } from '@preact/signals'
import { session } from '../session/session.ts'
import { lastMonth, ownTimezone } from './periods.ts'

/** The two lists of parameters in a request. */
export type ParameterList = 'inputReportParameters' | 'configurationReportParameters'

/** The request that the person builds. The form and the JSON text both show it, and both change it. */
export const draft = signal<ReportRequest>({ reportIdentifier: '' })

// The next person at this page begins anew.
effect(() => {
  if (!session.value) draft.value = { reportIdentifier: '' }
})

/** The report of the draft, as the catalogue describes it. Undefined if the login has no such report. */
export const report = computed(() => findReport(draft.value.reportIdentifier))

/** Changes members of the draft. `undefined` removes a member. */
export function change(
  members: {
    readonly [name in keyof ReportRequest]?: ReportRequest[name] | undefined
  },
): void {
  const entries = Object.entries({ ...draft.value, ...members })
  const kept = entries.filter(([, value]) => value !== undefined)
  draft.value = { reportIdentifier: draft.value.reportIdentifier, ...Object.fromEntries(kept) }
}

/** Returns the text of a parameter. Undefined if the draft does not name it. */
export function valueOf(list: ParameterList, name: string): string | undefined {
  return draft.value[list]?.find((element) => element.name === name)?.value
}

/** Sets the text of parameters, and removes those that are `undefined`. */
export function setParameters(
  list: ParameterList,
  declared: readonly CatalogueParameter[],
  values: Readonly<Record<string, string | undefined>>,
): void {
  const elements = Object.entries(values).reduce<readonly InputParameter[]>(
    (before, [name, value]) => {
      const parameter = declared.find((candidate) => candidate.name === name)
      if (value === undefined || !parameter) return before.filter((other) => other.name !== name)
      const element = { type: parameter.type, name, value }
      return before.some((other) => other.name === name)
        ? before.map((other) => (other.name === name ? element : other))
        : [...before, element]
    },
    draft.value[list] ?? [],
  )
  change({ [list]: elements.length > 0 ? elements : undefined })
}

/** Sets the values of a filter. An empty list removes the filter. */
export function setFilter(name: FilterName, values: readonly string[]): void {
  const others = Object.entries(draft.value.filters ?? {}).filter(([other]) => other !== name)
  const entries = values.length > 0 ? [...others, [name, values] as const] : others
  change({ filters: entries.length > 0 ? Object.fromEntries(entries) : undefined })
}

/** Begins a draft for a report. It keeps the period, the time zone and the file format of the draft before. */
export function beginDraft(reportIdentifier: string): void {
  const chosen = findReport(reportIdentifier)
  const period = lastMonth()
  const before = (name: string) => valueOf('inputReportParameters', name)
  // A parameter may have the name of a member that every object inherits, such as `constructor`.
  const values = new Map([
    ['dateFrom', before('dateFrom') ?? period.dateFrom],
    ['dateTo', before('dateTo') ?? period.dateTo],
    ['timezone', before('timezone') ?? ownTimezone()],
  ])
  const parameters = (chosen?.inputReportParameters ?? []).flatMap(({ name, type }) => {
    const value = values.get(name)
    return value === undefined ? [] : [{ type, name, value }]
  })
  // People open an XLSX in any spreadsheet. The protocol's own default is CSV.
  const usual = chosen?.formats.includes('XLSX') ? 'XLSX' : 'CSV'
  const { reportFormat = usual } = draft.value
  const columns = chosen && columnsWithStatus(chosen)
  draft.value = {
    reportIdentifier,
    reportFormat,
    inputReportParameters: parameters,
    ...(columns && { outputReportParameters: columns }),
  }
}

/**
 * Returns the usual columns and the optional ones that separate the report's totals, such as the status: without them,
 * a reader would sum amounts that do not belong together. Undefined if the report has no such column.
 */
function columnsWithStatus({ columns, totals }: CatalogueReport): readonly string[] | undefined {
  const separates = (name: string) => totals?.by.includes(name) ?? false
  if (!columns.some(({ name, optional }) => optional && separates(name))) return undefined
  return columns.flatMap(({ name, optional }) => (optional && !separates(name) ? [] : [name]))
}

function findReport(reportIdentifier: string): CatalogueReport | undefined {
  const reports = session.value?.catalogue.reports ?? []
  return reports.find((candidate) => candidate.reportIdentifier === reportIdentifier)
}
