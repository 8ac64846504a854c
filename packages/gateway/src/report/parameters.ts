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
import {
  CONFIGURATION_PARAMETERS,
  configurationParametersOf,
  findSpreadsheet,
} from './configuration.ts'

/** The values of parameters by name, in the form that the engine takes. Parameters without a value are absent. */
export type ParameterValues = Readonly<Record<string, EngineValue>>

/** One of the two lists of parameters. */
interface ParameterList {
  readonly member: 'inputReportParameters' | 'configurationReportParameters'
  readonly declared: readonly TemplateParameter[]
  /** The names that the request's elements may have, and those that have no effect. */
  readonly allowed: readonly string[]
  readonly ignored: readonly string[]
  readonly elements: readonly InputParameter[]
}

/** Reads the values of the two lists of parameters by their declared types. */
export function readParameters(
  template: Template,
  envelope: Envelope,
  timezones: ReadonlySet<string>,
  format: Pick<Format, 'parameters'>,
  timezoneDefault = 'UTC',
): { readonly input: ParameterValues; readonly configuration: ParameterValues } {
  const declared = parametersOf(template)
  const input: ParameterList = {
    member: 'inputReportParameters',
    declared,
    allowed: declared.map(({ name }) => name),
    ignored: template.ignores ?? [],
    elements: envelope.inputReportParameters,
  }
  const configuration: ParameterList = {
    member: 'configurationReportParameters',
    declared: CONFIGURATION_PARAMETERS,
    allowed: configurationParametersOf(format).map(({ name }) => name),
    ignored: [],
    elements: envelope.configurationReportParameters,
  }
  const faults = [...elementFaults(input), ...elementFaults(configuration)]
  const timezone = readTimezone([input, configuration], timezones, timezoneDefault, faults)
  const context = { timezone, timezones }
  const locale = configuration.elements.find(({ name }) => name === 'spreadsheet')?.value
  const preset = findSpreadsheet(locale)?.configuration
  const values = {
    input: { ...readValues(input, context, faults), timezone },
    configuration: readValues(configuration, context, faults, preset),
  }
  if (faults.length === 0) faults.push(...periodFaults(template, values.input))
  if (faults.length > 0) throw fieldProblem('invalid-parameter', faults)
  return values
}

export function axisNameOf(input: ParameterValues): string | undefined {
  const name = input['dateAxis']
  return typeof name === 'string' ? name : undefined
}

/** Reads the time zone, which may be in either list. It comes first, because it decides how bounds are read. */
function readTimezone(
  lists: readonly ParameterList[],
  timezones: ReadonlySet<string>,
  timezoneDefault: string,
  faults: ProblemFault[],
): string {
  const [zone, other] = lists.flatMap(({ elements }) => {
    return elements.find(({ name, value }) => name === TIMEZONE.name && value !== '')?.value ?? []
  })
  if (zone === undefined) return timezoneDefault
  if (other !== undefined && other !== zone) {
    const pointer = '/configurationReportParameters'
    faults.push({ pointer, expected: 'the timezone of inputReportParameters, or none' })
  }
  // `readValues` reports an unknown zone as a fault of the list that has it.
  return timezones.has(zone) ? zone : 'UTC'
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
  ignored,
  elements,
}: ParameterList): readonly ProblemFault[] {
  const whose = member === 'inputReportParameters' ? "this report's" : "this format's"
  return elements.flatMap(({ name }, index) => {
    const pointer = `/${member}/${index}/name`
    if (ignored.includes(name)) return []
    if (!allowed.includes(name)) {
      return [{ pointer, expected: `one of ${whose} parameters: ${allowed.join(', ')}` }]
    }
    const isFirst = elements.findIndex((other) => other.name === name) === index
    return isFirst ? [] : [{ pointer, expected: `${name} once` }]
  })
}

const DAY_MS = 86_400_000

// A period in which clocks go back is longer than its days times 24 hours. No change of clocks is longer than this.
const CLOCK_CHANGE_MS = 3_600_000 * 3

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

export function instantOf(value: EngineValue | undefined): number | undefined {
  return typeof value === 'string' ? Date.parse(`${value.replace(' ', 'T')}Z`) : undefined
}
