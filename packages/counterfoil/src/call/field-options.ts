import { type Field, type Operation, spellingsOf } from '@counterfoil/protocol'
import { Option } from 'commander'
import { OPTIONS, REQUIRED } from '../command.ts'

/** A field of an operation, and the option that sets it. */
export interface FieldOption {
  readonly field: Field
  readonly option: Option
  /** Set for card numbers and verification values, whose option names a file. */
  readonly secret?: Secret
}

/** Where a secret value may come from beside a file. */
export interface Secret {
  /** The environment variable that may hold the value. */
  readonly variable: string
  /** The option that would take the value as an argument. The command refuses it. */
  readonly refused: Option
}

/**
 * Creates the options of an operation's fields. An option has the field's name with hyphens. Its heading in the help
 * says whether the option is required, and with which other options.
 */
export function fieldOptions(operation: Operation): readonly FieldOption[] {
  return operation.fields.map((field) => {
    const { kind, title } = field
    const heading = headingOf(field, operation)
    if (!isSecret(field)) {
      const isBoolean = kind === 'boolean'
      const value = isBoolean ? '[true|false]' : `<${kind === 'card-id' ? 'id' : kind}>`
      const description = isBoolean ? `${title} (without a value: true)` : title
      const option = new Option(`${flagOf(field)} ${value}`, description).helpGroup(heading)
      return { field, option }
    }
    const name = nameOf(field)
    const variable = `COUNTERFOIL_${name.toUpperCase().replaceAll('-', '_')}`
    const description = `file that holds ${title} (or the value in the environment variable ${variable})`
    const option = new Option(`${flagOf(field)} <file>`, description).helpGroup(heading)
    return { field, option, secret: { variable, refused: new Option(`--${name} [value]`) } }
  })
}

function headingOf({ name, required: isRequired }: Field, { fields, choices }: Operation): string {
  if (isRequired) return REQUIRED
  const flags = new Map(fields.map((field) => [field.name, flagOf(field)]))
  const [heading = OPTIONS] = choices.flatMap(({ title, required, alternatives }) => {
    return alternatives.flatMap(({ field, requires = [], allows = [] }) => {
      if (requires.includes(name)) return [`Required with ${flags.get(field)}:`]
      if (allows.includes(name)) return [`Only with ${flags.get(field)}:`]
      return required && field === name ? [`One of these as ${title}:`] : []
    })
  })
  return heading
}

/** The flag of a field. Card numbers and verification values come from files. */
function flagOf(field: Field): string {
  return isSecret(field) ? `--${nameOf(field)}-file` : `--${nameOf(field)}`
}

function nameOf(field: Field): string {
  return spellingsOf(field).find((spelling) => !spelling.includes('_')) ?? field.name
}

function isSecret({ kind }: Field): boolean {
  return kind === 'card' || kind === 'cvv'
}
