import {
  type CatalogueParameter,
  type CatalogueReport,
  filterId,
  type InputParameter,
  type ProblemFault,
  type ReportRequest,
} from '@counterfoil/protocol'
import { computed } from '@preact/signals'
import { texts } from '../texts.ts'
import { draft, type ParameterList, report } from './draft.ts'
import { TIMEZONES } from './periods.ts'

/** The faults of the draft, with the pointers that the gateway would name. The gateway checks everything again. */
export const faults = computed((): readonly ProblemFault[] => checkDraft(draft.value, report.value))

/** Returns what is wrong at a place of the draft, or undefined. */
export function faultAt(pointer: string): string | undefined {
  return faults.value.find((fault) => fault.pointer === pointer)?.expected
}

/** Returns the pointer of a parameter's value; of a parameter that is missing, a pointer with its name. */
export function pointerOf(list: ParameterList, name: string): string {
  const index = draft.value[list]?.findIndex((element) => element.name === name) ?? -1
  return index < 0 ? `/${list}/${name}` : `/${list}/${index}/value`
}

/** Checks a request as far as the catalogue describes its report. */
function checkDraft(
  request: ReportRequest,
  described: CatalogueReport | undefined,
): readonly ProblemFault[] {
  if (!described) return [{ pointer: '/reportIdentifier', expected: texts.report.unknownReport }]
  const { reportFormat = 'CSV', reportCsvDelimiter } = request
  const configuration = described.configurationReportParameters.filter((parameter) => {
    return parameter.formats?.includes(reportFormat) ?? true
  })
  return [
    ...oneOf('/reportFormat', reportFormat, described.formats),
    ...oneOf('/reportEncode', request.reportEncode ?? 'UTF-8', described.encodings),
    ...(reportCsvDelimiter === undefined || /^[^"\r\n\0\p{Cs}]$/u.test(reportCsvDelimiter)
      ? []
      : [{ pointer: '/reportCsvDelimiter', expected: texts.report.delimiterExpected }]),
    ...checkParameters('inputReportParameters', request, described.inputReportParameters),
    ...checkParameters('configurationReportParameters', request, configuration),
    ...checkPeriod(request),
    ...checkFilters(request),
  ]
}

function checkParameters(
  list: ParameterList,
  request: ReportRequest,
  declared: readonly CatalogueParameter[],
): readonly ProblemFault[] {
  const elements = request[list] ?? []
  const missing = declared.filter(({ name, required }) => {
    return required && !elements.some((element) => element.name === name)
  })
  return [
    ...missing.map(({ name }) => ({
      pointer: `/${list}/${name}`,
      expected: texts.report.valueExpected,
    })),
    ...elements.flatMap(({ name, value }, index) => {
      const parameter = declared.find((candidate) => candidate.name === name)
      const names = declared.map((candidate) => candidate.name)
      if (!parameter) return oneOf(`/${list}/${index}/name`, name, names)
      return checkValue(parameter, value, `/${list}/${index}/value`)
    }),
  ]
}

function checkValue(
  { name, type, list, allowed, lengthMax }: CatalogueParameter,
  text: string,
  pointer: string,
): readonly ProblemFault[] {
  const fault = (expected: string) => [{ pointer, expected }]
  if (name === 'timezone') return TIMEZONES.includes(text) ? [] : fault(texts.report.zoneExpected)
  if (Array.isArray(allowed)) {
    return (list ? text.split(',') : [text]).flatMap((value) => oneOf(pointer, value, allowed))
  }
  if (lengthMax !== undefined && text.length > lengthMax) {
    return fault(texts.report.lengthExpected(lengthMax))
  }
  if (type === 'INPUT_NUMBER' && !/^\d{1,18}$/.test(text)) return fault(texts.report.numberExpected)
  const isTime = type === 'INPUT_DATE' || type === 'INPUT_DATETIME'
  return isTime && !isDay(text.slice(0, 10)) ? fault(texts.report.dayExpected) : []
}

/** Whether a text is a day of the calendar. `Date` would move the 30th of February to March. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

function checkPeriod({ inputReportParameters = [] }: ReportRequest): readonly ProblemFault[] {
  const find = (wanted: string): InputParameter | undefined => {
    return inputReportParameters.find(({ name }) => name === wanted)
  }
  const [from, to] = [find('dateFrom'), find('dateTo')]
  if (!from || !to || from.value < to.value) return []
  const index = inputReportParameters.indexOf(to)
  const expected = texts.report.periodExpected
  return [{ pointer: `/inputReportParameters/${index}/value`, expected }]
}

function checkFilters({ filters = {} }: ReportRequest): readonly ProblemFault[] {
  return Object.entries(filters).flatMap(([name, values = []]) => {
    const { pattern, expected } = filterForm(name)
    const isBad = values.some((value) => !pattern.test(filterId(value)))
    return isBad ? [{ pointer: `/filters/${name}`, expected }] : []
  })
}

function filterForm(name: string): {
  readonly pattern: RegExp
  readonly expected: string
} {
  return name === 'currencies'
    ? { pattern: /^[A-Z]{3}$/, expected: texts.report.currenciesExpected }
    : { pattern: /^\d{1,18}$/, expected: texts.report.idsExpected }
}

function oneOf(
  pointer: string,
  value: string,
  allowed: readonly string[],
): readonly ProblemFault[] {
  return allowed.includes(value) ? [] : [{ pointer, expected: `one of ${allowed.join(', ')}` }]
}
