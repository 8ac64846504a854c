import type { InputParameter, ProblemFault } from '@counterfoil/protocol'
import type { EngineValue } from '@counterfoil/engine'
import { fieldProblem } from '@counterfoil/common'
import type { Format } from '@counterfoil/formats'
import {
  isUnreadable,
  parametersOf,
  readValue,
  type Template,
  type TemplateParameter,
  TIMEZONE,
} from '@counterfoil/templates'
import type { Envelope } from './envelope.ts'
import { CONFIGURATION_PARAMETERS, configurationParametersOf } from './configuration-parameters.ts'
import { findSpreadsheet } from './spreadsheets.ts'

/** The values of parameters by name, in the form that the engine takes. Parameters without a value are absent. */
export type ParameterValues = Readonly<Record<string, EngineValue>>

/** The values of a request's two lists of parameters. */
export interface RequestedValues {
  readonly input: ParameterValues
  readonly configuration: ParameterValues
}

/** One of the two lists of parameters: the declared parameters, those that may be named, and the request's elements. */
interface ParameterList {
  readonly member: 'inputReportParameters' | 'configurationReportParameters'
  readonly declared: readonly TemplateParameter[]
  readonly allowed: readonly TemplateParameter[]
  readonly elements: readonly InputParameter[]
  /** Names that elements may have without an effect. */
  readonly ignored?: readonly string[] | undefined
}

/**
 * Reads the values of a request's parameters by their declared types. A request may name the configuration's parameters
 * that the format has.
 *
 * @throws `invalid-parameter` with the faults
 */
export function readParameters(
  template: Template,
  envelope: Envelope,
  timezones: ReadonlySet<string>,
  format: Pick<Format, 'parameters'>,
  timezoneDefault = 'UTC',
): RequestedValues {
  const declared = parametersOf(template)
  const input: ParameterList = {
    member: 'inputReportParameters',
    declared,
    allowed: declared,
    elements: envelope.inputReportParameters,
    ignored: template.ignores,
  }
  const configuration: ParameterList = {
    member: 'configurationReportParameters',
    declared: CONFIGURATION_PARAMETERS,
    allowed: configurationParametersOf(format),
    elements: envelope.configurationReportParameters,
  }
  const faults = [input, configuration].flatMap(elementFaults)
  const timezone = readTimezone(input, configuration, timezones, timezoneDefault, faults)
  const context = { timezone, timezones }
  const values = {
    input: { ...readValues(input, context, faults), timezone },
    configuration: {
      ...readValues(configuration, context, faults, presetOf(configuration)),
      timezone,
    },
  }
  if (faults.length === 0) faults.push(...periodFaults(template, values.input))
  if (faults.length > 0) throw fieldProblem('invalid-parameter', faults)
  return values
}

/** Returns the name of the axis of a request's period, if the request names one or the report has a default. */
export function axisNameOf(input: ParameterValues): string | undefined {
  const name = input['dateAxis']
  return typeof name === 'string' ? name : undefined
}

/** Reads the time zone, which may be in either list. It comes first, because it decides how bounds are read. */
function readTimezone(
  input: ParameterList,
  configuration: ParameterList,
  timezones: ReadonlySet<string>,
  timezoneDefault: string,
  faults: ProblemFault[],
): string {
  const zones = [input, configuration].flatMap(({ elements }) => {
    return elements.filter(({ name, value }) => name === TIMEZONE.name && value !== '').slice(0, 1)
  })
  const [first, second] = zones
  if (!first) {
    if (timezones.has(timezoneDefault)) return timezoneDefault
    const expected = `a timezone: the engine does not know your usual one, ${timezoneDefault}`
    faults.push({ pointer: '/inputReportParameters', expected })
    return 'UTC'
  }
  if (second && first.value !== second.value) {
    const pointer = '/configurationReportParameters'
    faults.push({ pointer, expected: 'the timezone of inputReportParameters, or none' })
  }
  // `readValues` reports an unknown zone as a fault of the list that has it.
  return timezones.has(first.value) ? first.value : 'UTC'
}

/** Returns the values that the parameter `spreadsheet` sets, unless the request names them. */
function presetOf({ elements }: ParameterList): Readonly<Record<string, string>> {
  const locale = elements.find(({ name }) => name === 'spreadsheet')?.value
  return findSpreadsheet(locale)?.configuration ?? {}
}

function readValues(
  { member, declared, elements }: ParameterList,
  context: Parameters<typeof readValue>[2],
  faults: ProblemFault[],
  preset: Readonly<Record<string, string>> = {},
): ParameterValues {
  const values: Record<string, EngineValue> = {}
  for (const parameter of declared) {
    const index = elements.findIndex(({ name }) => name === parameter.name)
    // An empty value means that the parameter is not set.
    const text = elements[index]?.value || (preset[parameter.name] ?? parameter.default)
    const pointer = index < 0 ? `/${member}` : `/${member}/${index}/value`
    if (text === undefined) {
      if (parameter.required) faults.push({ pointer, expected: `the parameter ${parameter.name}` })
      continue
    }
    const value = readValue(parameter, text, context)
    if (isUnreadable(value)) {
      faults.push({ pointer, expected: `for ${parameter.name} ${value.expected}` })
    } else {
      values[parameter.name] = value
    }
  }
  return values
}

function elementFaults({
  member,
  allowed,
  elements,
  ignored = [],
}: ParameterList): readonly ProblemFault[] {
  const known = new Map(allowed.map((parameter) => [parameter.name, parameter]))
  const whose = member === 'inputReportParameters' ? "this report's" : "this format's"
  return elements.flatMap(({ name }, index) => {
    const pointer = `/${member}/${index}/name`
    if (ignored.includes(name)) return []
    if (!known.has(name)) {
      const expected = `one of ${whose} parameters: ${[...known.keys()].join(', ')}`
      return [{ pointer, expected }]
    }
    const isFirst = elements.findIndex((other) => other.name === name) === index
    return isFirst ? [] : [{ pointer, expected: `${name} once` }]
  })
}

const DAY_MS = 86_400_000

// A period in which clocks go back is longer than its days times 24 hours. No change of clocks is longer than this.
const CLOCK_CHANGE_MS = 3_600_000 * 3

/** Finds the faults of a period: it ends before it begins, or it is too long. */
function periodFaults({ period }: Template, values: ParameterValues): readonly ProblemFault[] {
  const [from, to] = [instantOf(values['dateFrom']), instantOf(values['dateTo'])]
  const pointer = '/inputReportParameters'
  if (from === undefined || to === undefined || !period) return []
  if (to <= from) return [{ pointer, expected: 'a dateTo that is after dateFrom' }]
  const days = Math.ceil((to - from - CLOCK_CHANGE_MS) / DAY_MS)
  const { daysMax = days } = period
  if (days <= daysMax) return []
  return [{ pointer, expected: `a period of at most ${daysMax} days, got ${days}` }]
}

/** The milliseconds since 1970 of a value that is an instant. */
export function instantOf(value: EngineValue | undefined): number | undefined {
  return typeof value === 'string' ? Date.parse(`${value.replace(' ', 'T')}Z`) : undefined
}
