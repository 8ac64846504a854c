import { type Alternative, type Field, type Operation, spellingsOf } from '@counterfoil/protocol'
import type { Described } from './components.ts'

/** Returns the JSON Schema of an operation's form, with the first spelling of each field. */
export function formSchema({ title, fields, choices }: Operation): Described {
  const required = choices.filter((choice) => choice.required)
  return {
    type: 'object',
    description: `The form to ${title}, with the first spelling of each name. An empty field counts as absent.`,
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.flatMap(({ name, required: isRequired }) => (isRequired ? [name] : [])),
    additionalProperties: false,
    allOf: required.map((choice) => ({
      description: `A form names ${choice.title}.`,
      oneOf: choice.alternatives.map((alternative) => chosenSchema(alternative, fields)),
    })),
  }
}

function fieldSchema(field: Field): Described {
  const { title, lengthMin: minLength = 1, lengthMax: maxLength } = field
  const [, ...others] = spellingsOf(field)
  const spelled = others.length > 0 ? `; also written ${others.join(' or ')}` : ''
  return { type: 'string', description: title + spelled, minLength, maxLength }
}

/** A form that chooses an alternative. A boolean field chooses it with `true`. */
function chosenSchema({ field, requires = [] }: Alternative, fields: readonly Field[]): Described {
  const isBoolean = fields.some(({ name, kind }) => name === field && kind === 'boolean')
  return {
    required: [field, ...requires],
    ...(isBoolean && { properties: { [field]: { const: 'true' } } }),
  }
}
