import type { InputParameter, ProblemFault } from '@counterfoil/protocol'
import type { EngineValue } from '../engine/engine.ts'
import { fieldProblem } from '../errors.ts'
import { isUnreadable, readValue } from '../templates/parameter-types.ts'
import { parametersOf, TIMEZONE } from '../templates/period.ts'
import type { Template, TemplateParameter } from '../templates/template.ts'
import type { Envelope } from './envelope.ts'
import { CONFIGURATION_PARAMETERS } from './configuration-parameters.ts'

/** The values of parameters, by name, as the engine takes them; none for what was not given. */
export type ParameterValues = Readonly<Record<string, EngineValue>>

/** What a request says of its report: the parameters of the report, and those of the configuration. */
export interface RequestedValues {
  readonly input: ParameterValues
  readonly configuration: ParameterValues
}

/** Parameters that are declared, and those of them that a request gives. */
interface Given {
  readonly member: 'inputReportParameters' | 'configurationReportParameters'
  readonly declared: readonly TemplateParameter[]
  readonly elements: readonly InputParameter[]
}

/**
 * Reads the parameters of a request, those of its report as the report declares them.
 * Throws `invalid-parameter` with the faults that were found.
 */
export function readParameters(
  template: Template,
  envelope: Envelope,
  timezones: ReadonlySet<string>,
): RequestedValues {
  const input: Given = {
    member: 'inputReportParameters',
    declared: parametersOf(template),
    elements: envelope.inputReportParameters,
  }
  const configuration: Given = {
    member: 'configurationReportParameters',
    declared: CONFIGURATION_PARAMETERS,
    elements: envelope.configurationReportParameters,
  }
  const faults = [input, configuration].flatMap(elementFaults)
  const timezone = readTimezone(input, configuration, timezones, faults)
  const context = { timezone, timezones }
  const values = {
    input: { ...readValues(input, context, faults), timezone },
    configuration: { ...readValues(configuration, context, faults), timezone },
  }
  if (faults.length === 0) faults.push(...periodFaults(template, values.input))
  if (faults.length > 0) throw fieldProblem('invalid-parameter', faults)
  return values
}

/** The axis that a request's period goes by, where it names one. */
export function axisNameOf(input: ParameterValues): string | undefined {
  const name = input['dateAxis']
  return typeof name === 'string' ? name : undefined
}

/** The time zone, which both lists take: bounds are read in it, so it comes before all others. */
function readTimezone(
  input: Given,
  configuration: Given,
  timezones: ReadonlySet<string>,
  faults: ProblemFault[],
): string {
  const written = [input, configuration].flatMap(({ elements }) => {
    return elements.filter(({ name }) => name === TIMEZONE.name).slice(0, 1)
  })
  const [first = { value: TIMEZONE.default ?? 'UTC' }, second] = written
  if (second && first.value !== second.value) {
    const pointer = '/configurationReportParameters'
    faults.push({ pointer, expected: 'the timezone of inputReportParameters, or none' })
  }
  // One that is not known is a fault of the list that has it.
  return timezones.has(first.value) ? first.value : 'UTC'
}

function readValues(
  { member, declared, elements }: Given,
  context: Parameters<typeof readValue>[2],
  faults: ProblemFault[],
): ParameterValues {
  const values: Record<string, EngineValue> = {}
  for (const parameter of declared) {
    const index = elements.findIndex(({ name }) => name === parameter.name)
    const text = elements[index]?.value ?? parameter.default
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

function elementFaults({ member, declared, elements }: Given): readonly ProblemFault[] {
  const known = new Map(declared.map((parameter) => [parameter.name, parameter]))
  const whose = member === 'inputReportParameters' ? "this report's" : "the configuration's"
  return elements.flatMap(({ name, type }, index) => {
    const at = `/${member}/${index}`
    const parameter = known.get(name)
    if (!parameter) {
      const expected = `one of ${whose} parameters: ${[...known.keys()].join(', ')}`
      return [{ pointer: `${at}/name`, expected }]
    }
    const faults: ProblemFault[] = []
    if (elements.findIndex((other) => other.name === name) < index) {
      faults.push({ pointer: `${at}/name`, expected: `${name} once` })
    }
    if (type !== 'INPUT_TEXT' && type !== parameter.type) {
      faults.push({ pointer: `${at}/type`, expected: `${parameter.type} or INPUT_TEXT` })
    }
    return faults
  })
}

const DAY_MS = 86_400_000

// A period of so many days may have an hour more: clocks go back.
const CLOCK_CHANGE_MS = 3_600_000 * 3

/** What is wrong with a period as a whole: it ends before it begins, is too long, or cuts a day of an axis of days. */
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

function instantOf(value: EngineValue | undefined): number | undefined {
  return typeof value === 'string' ? Date.parse(`${value.replace(' ', 'T')}Z`) : undefined
}
