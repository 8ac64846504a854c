import type { EngineValue } from '@counterfoil/engine'
import type { Choice } from '../template/compile-template.ts'
import { formatInstant } from '@counterfoil/common'
import { exampleValue, isUnreadable, readValue } from '../template/parameter-types.ts'
import { parametersOf } from '../template/period.ts'
import { placeholderOf, type Template, type TemplateParameter } from '../template/template.ts'
import type { Fault, Known } from './fault.ts'

/** Values of parameters, by name. */
export type Values = Readonly<Record<string, EngineValue>>

/** Returns a predicate for the parameters that have a value in every request. */
export function isCertain(template: Template): Choice['hasValue'] {
  const certain = parametersOf(template).filter((parameter) => {
    return parameter.required || parameter.default !== undefined
  })
  const names = new Set(certain.map(({ name }) => name))
  return (name) => names.has(name)
}

/** Example values for the chosen parameters of a report, and for the parameters that every report has. */
export function examples(template: Template, known: Known, hasValue: Choice['hasValue']): Values {
  const values: Record<string, EngineValue> = {
    now: formatInstant(0),
    timezoneName: 'UTC',
    _changedAfter: formatInstant(0),
    _changedUntil: formatInstant(Date.UTC(2026, 1, 28)),
  }
  for (const parameter of parametersOf(template).filter(({ name }) => hasValue(name))) {
    const value = readExample(parameter, known)
    if (!isUnreadable(value)) values[placeholderOf(parameter.name)] = value
  }
  return values
}

// Later than the example of `dateFrom`, because the engine skips the conditions of an empty period.
const PERIOD_END = '2026-02-28'

function readExample(parameter: TemplateParameter, { timezones }: Known) {
  const example = parameter.name === 'dateTo' ? PERIOD_END : exampleValue(parameter)
  const written = parameter.default ?? example
  return readValue(parameter, written, { timezone: 'UTC', timezones })
}

/** The parameters whose values reach the engine as texts from the caller. Lists of dates do not. */
export function textsOf({ parameters }: Template): ReadonlySet<string> {
  const texts = parameters.filter(({ type, list }) => {
    const isListOfTexts = list && (type === 'INPUT_NUMBER' || type === 'INPUT_BOOLEAN')
    return type === 'INPUT_TEXT' || type === 'INPUT_SELECT' || isListOfTexts
  })
  return new Set(texts.map(({ name }) => placeholderOf(name)))
}

/** Finds defaults that their own parameter refuses. */
export function examplesAtFault(template: Template, known: Known): readonly Fault[] {
  return template.parameters.flatMap((parameter, index) => {
    if (parameter.default === undefined) return []
    const value = readExample(parameter, known)
    if (!isUnreadable(value)) return []
    return [{ path: ['parameters', index, 'default'], expected: `expected ${value.expected}` }]
  })
}
