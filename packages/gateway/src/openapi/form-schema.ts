import {
  type Alternative,
  type Choice,
  type Field,
  type Operation,
  spellingsOf,
  VALUE_CHECKS,
} from '@counterfoil/protocol'

/** A JSON Schema (2020-12), or another part of the OpenAPI document. */
export type Described = Readonly<Record<string, unknown>>

/** Returns the JSON Schema of an operation's form, with the first spelling of each field. */
export function formSchema({ title, fields, choices }: Operation): Described {
  return {
    type: 'object',
    description: `The form to ${title}, with the first spelling of each name. An empty field counts as absent.`,
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.flatMap(({ name, required }) => (required === true ? [name] : [])),
    additionalProperties: false,
    allOf: choices.map((choice) => choiceSchema(choice, fields)),
  }
}

function fieldSchema(field: Field): Described {
  const { title, kind, lengthMin = 1, lengthMax } = field
  const [, ...others] = spellingsOf(field)
  const conditions = [...new Set(VALUE_CHECKS[kind].map(({ expected }) => expected))].join('; ')
  const spelled = others.length > 0 ? `. Also written ${others.join(' or ')}.` : '.'
  return {
    type: 'string',
    description: `${title[0]?.toUpperCase()}${title.slice(1)} (${conditions})${spelled}`,
    minLength: lengthMin,
    maxLength: lengthMax,
  }
}

/** One of the alternatives if the choice is required, and no field without the alternative that it belongs to. */
function choiceSchema(
  { title, required, alternatives }: Choice,
  fields: readonly Field[],
): Described {
  const members = new Set(
    alternatives.flatMap(({ requires = [], allows = [] }) => [...requires, ...allows]),
  )
  const chosen = (alternative: Alternative) => chosenSchema(alternative, fields)
  const withMember = (member: string) => {
    return alternatives.filter(({ requires = [], allows = [] }) => {
      return requires.includes(member) || allows.includes(member)
    })
  }
  return {
    description: `A form names ${title}.`,
    ...(required && { oneOf: alternatives.map(chosen) }),
    dependentRequired: Object.fromEntries(
      alternatives.flatMap(({ field, requires }) => (requires ? [[field, requires]] : [])),
    ),
    dependentSchemas: Object.fromEntries(
      [...members].map((member) => [member, { anyOf: withMember(member).map(chosen) }]),
    ),
  }
}

/** A form that chooses an alternative. A boolean field chooses it with `true`. */
function chosenSchema({ field }: Alternative, fields: readonly Field[]): Described {
  const isBoolean = fields.some(({ name, kind }) => name === field && kind === 'boolean')
  return { required: [field], ...(isBoolean && { properties: { [field]: { const: 'true' } } }) }
}
