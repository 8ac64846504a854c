import type { InputParameter, ProblemFault } from '@counterfoil/protocol'
import type { EngineValue } from '../engine/engine.ts'
import { fieldProblem } from '../errors.ts'
import type { Catalogue } from '../templates/load-templates.ts'
import { isUnreadable, readValue } from '../templates/parameter-types.ts'
import type { Template, TemplateParameter } from '../templates/template.ts'
import type { Envelope } from './envelope.ts'

/** The values of a report's parameters, by name, as the engine takes them; none for what was not given. */
export type ParameterValues = Readonly<Record<string, EngineValue>>

/**
 * Reads the parameters of a request as its report declares them.
 * Throws `invalid-parameter` with the faults that were found.
 */
export function readParameters(
  template: Template,
  envelope: Envelope,
  { timezones }: Pick<Catalogue, 'timezones'>,
): ParameterValues {
  const { inputReportParameters: given } = envelope
  const faults = [...unknownFaults(template, given), ...untakenFaults(envelope)]
  const values: Record<string, EngineValue> = {}
  const read = (parameter: TemplateParameter, timezone: string): void => {
    const index = given.findIndex(({ name }) => name === parameter.name)
    const text = given[index]?.value ?? parameter.default
    const pointer = index < 0 ? '/inputReportParameters' : `/inputReportParameters/${index}/value`
    if (text === undefined) {
      if (parameter.required) {
        faults.push({ pointer, expected: `the parameter ${parameter.name}` })
      }
      return
    }
    const value = readValue(parameter, text, { timezone, timezones })
    if (isUnreadable(value)) {
      faults.push({ pointer, expected: `for ${parameter.name} ${value.expected}` })
    } else {
      values[parameter.name] = value
    }
  }
  // The time zone first: bounds are read in it.
  const timezone = template.parameters.find(({ name }) => name === 'timezone')
  if (timezone) read(timezone, 'UTC')
  const zone = typeof values['timezone'] === 'string' ? values['timezone'] : 'UTC'
  for (const parameter of template.parameters) {
    if (parameter !== timezone) read(parameter, zone)
  }
  if (faults.length > 0) {
    throw fieldProblem('invalid-parameter', faults)
  }
  return values
}

function unknownFaults(
  template: Template,
  given: readonly InputParameter[],
): readonly ProblemFault[] {
  const declared = new Map(template.parameters.map((parameter) => [parameter.name, parameter]))
  return given.flatMap(({ name, type }, index) => {
    const at = `/inputReportParameters/${index}`
    const parameter = declared.get(name)
    if (!parameter) {
      const expected = `one of this report's parameters: ${[...declared.keys()].join(', ')}`
      return [{ pointer: `${at}/name`, expected }]
    }
    const faults: ProblemFault[] = []
    if (given.findIndex((other) => other.name === name) < index) {
      faults.push({ pointer: `${at}/name`, expected: `${name} once` })
    }
    if (type !== 'INPUT_TEXT' && type !== parameter.type) {
      faults.push({ pointer: `${at}/type`, expected: `${parameter.type} or INPUT_TEXT` })
    }
    return faults
  })
}

/** No report takes these yet; what would have no effect is refused, not passed over. */
function untakenFaults(envelope: Envelope): readonly ProblemFault[] {
  const untaken = ['configurationReportParameters', 'outputReportParameters'] as const
  return untaken
    .filter((name) => envelope[name].length > 0)
    .map((name) => ({ pointer: `/${name}/0`, expected: 'none: this report takes none' }))
}
