import {
  type CatalogueParameter,
  type CatalogueReport,
  type FilterName,
  type ReportRequest,
} from '@counterfoil/protocol'
import { computed, effect, signal } from '@preact/signals'
import { session } from '../session/session.ts'
import { dayOf, ownTimezone, PERIODS } from './periods.ts'

export type ParameterList = 'inputReportParameters' | 'configurationReportParameters'

/** The request that the person builds. The form and the JSON text both show it, and both change it. */
export const draft = signal<ReportRequest>({ reportIdentifier: '' })

// The next person at this page begins anew.
effect(() => {
  if (!session.value) draft.value = { reportIdentifier: '' }
})

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

/** Returns the text of a parameter. Empty if the draft does not name it. */
export function valueOf(list: ParameterList, name: string): string {
  return draft.value[list]?.find((element) => element.name === name)?.value ?? ''
}

/** Sets the text of a parameter. An empty text removes the parameter. */
export function setParameter(
  list: ParameterList,
  { type, name }: CatalogueParameter,
  value: string,
): void {
  const before = draft.value[list] ?? []
  const at = before.findIndex((element) => element.name === name)
  const set = value === '' ? [] : [{ type, name, value }]
  const elements = at < 0 ? [...before, ...set] : before.toSpliced(at, 1, ...set)
  change({ [list]: elements.length > 0 ? elements : undefined })
}

export function setFilter(name: FilterName, values: readonly string[]): void {
  const others = Object.entries(draft.value.filters ?? {}).filter(([other]) => other !== name)
  const entries = values.length > 0 ? [...others, [name, values] as const] : others
  change({ filters: entries.length > 0 ? Object.fromEntries(entries) : undefined })
}

/** Begins a draft for a report. It keeps the period, the time zone and the file format of the draft before. */
export function beginDraft(reportIdentifier: string): void {
  const chosen = findReport(reportIdentifier)
  const lastMonth = PERIODS['Last month'](dayOf(new Date(), ownTimezone()))
  const usual = new Map(Object.entries({ ...lastMonth, timezone: ownTimezone() }))
  const parameters = (chosen?.inputReportParameters ?? []).flatMap(({ name, type }) => {
    const value = usual.get(name)
    const before = valueOf('inputReportParameters', name)
    return value === undefined ? [] : [{ type, name, value: before || value }]
  })
  // People open an XLSX in any spreadsheet. The protocol's own default is CSV.
  const usualFormat = chosen?.formats.includes('XLSX') ? 'XLSX' : 'CSV'
  const { reportFormat = usualFormat } = draft.value
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
