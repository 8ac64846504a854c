import type { FieldOption } from './field-options.ts'
import { readText } from './read-text.ts'
import { UsageError } from './usage-error.ts'

/** What commander makes of a command line: values by the options' attribute names. */
export type OptionValues = Readonly<Record<string, unknown>>

/**
 * Gathers the fields that were given, by their own names. Throws `UsageError` for a file that cannot be read, and
 * for a value that is in a file and in a variable.
 */
export async function readFields(
  options: readonly FieldOption[],
  values: OptionValues,
  environment: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const { field, option, secret } of options) {
    const given = values[option.attributeName()]
    const value = secret
      ? await readSecret(`--${option.name()}`, given, secret.variable, environment)
      : given
    if (typeof value === 'string') fields[field.name] = value
  }
  return fields
}

async function readSecret(
  flag: string,
  file: unknown,
  variable: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const value = environment[variable]
  if (typeof file !== 'string') return value
  if (value === undefined) return (await readText(file, flag)).trim()
  throw new UsageError(`expected either ${flag} or the variable ${variable}, got both`)
}
