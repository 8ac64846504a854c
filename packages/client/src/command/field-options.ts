import { type Field, type Operation, spellingsOf } from '@counterfoil/protocol'
import { Option } from 'commander'
import { OPTIONS, REQUIRED } from './add-options.ts'

/** A field of an operation, and the option that gives it. */
export interface FieldOption {
  readonly field: Field
  readonly option: Option
  /** Of a card's number or verification value, for which the option names a file. */
  readonly secret?: Secret
}

/** Where else a value may be, and where it may not. */
export interface Secret {
  readonly variable: string
  /** The option that would hold the value itself. */
  readonly refused: Option
}

/**
 * The options of an operation's fields, from its declaration; an option is named as the field is with hyphens, and
 * its heading in the help says whether it is needed, and with what.
 */
export function fieldOptions(operation: Operation): readonly FieldOption[] {
  return operation.fields.map((field) => {
    const { kind, title } = field
    const heading = headingOf(field, operation)
    if (!isSecret(field)) {
      // Said alone, what may be true is true.
      const value = kind === 'boolean' ? '[true|false]' : `<${kind}>`
      const option = new Option(`${flagOf(field)} ${value}`, title).helpGroup(heading)
      return { field, option: kind === 'boolean' ? option.preset('true') : option }
    }
    const name = nameOf(field)
    const variable = `COUNTERFOIL_${name.toUpperCase().replaceAll('-', '_')}`
    const words = `file that holds ${title} (or the value in the environment variable ${variable})`
    const option = new Option(`${flagOf(field)} <file>`, words).helpGroup(heading)
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

/** The option as it is written: a card's number and its verification value come as files. */
function flagOf(field: Field): string {
  return isSecret(field) ? `--${nameOf(field)}-file` : `--${nameOf(field)}`
}

function nameOf(field: Field): string {
  return spellingsOf(field).find((spelling) => !spelling.includes('_')) ?? field.name
}

function isSecret({ kind }: Field): boolean {
  return kind === 'card' || kind === 'cvv'
}
