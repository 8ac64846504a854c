import { type Field, type Operation, spellingsOf } from '@counterfoil/protocol'
import { Option } from 'commander'
import { readText } from './read-connection.ts'

/** A field of an operation, and the option that gives it. */
export interface FieldOption {
  readonly field: Field
  readonly option: Option
  /** Of a card's number or verification value: the variable that can hold it; an argument never does. */
  readonly variable?: string
}

/** What commander makes of a command line: values by the options' attribute names. */
export type OptionValues = Readonly<Record<string, unknown>>

/** The options of an operation's fields, from its declaration; an option is named as the field is with hyphens. */
export function fieldOptions({ fields }: Operation): readonly FieldOption[] {
  return fields.map((field) => {
    const name = spellingsOf(field).find((spelling) => !spelling.includes('_')) ?? field.name
    if (field.kind !== 'card' && field.kind !== 'cvv') {
      const option = new Option(`--${name} <${field.kind}>`, field.title)
      return { field, option: field.required ? option.makeOptionMandatory() : option }
    }
    const variable = `COUNTERFOIL_${name.toUpperCase().replaceAll('-', '_')}`
    const title = `a file that holds ${field.title} (or the value itself in ${variable})`
    return { field, option: new Option(`--${name}-file <file>`, title), variable }
  })
}

/** Gathers the fields that were given, by their own names. Throws `UsageError` for a file that cannot be read. */
export async function readFields(
  options: readonly FieldOption[],
  values: OptionValues,
  environment: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const { field, option, variable } of options) {
    const given = values[option.attributeName()]
    const value =
      variable === undefined
        ? given
        : typeof given === 'string'
          ? (await readText(given)).trim()
          : environment[variable]
    if (typeof value === 'string') fields[field.name] = value
  }
  return fields
}
