import type { FieldOption } from './field-options.ts'
import { readText } from '../connection/read-text.ts'
import { UsageError } from '../usage-error.ts'

/** The values of a command line, by the options' attribute names. */
export type OptionValues = Readonly<Record<string, unknown>>

/**
 * Reads the fields that the command line sets, by their names.
 *
 * @throws {UsageError} if a file is not readable, or if a value has a file and a variable
 */
export async function readFields(
  options: readonly FieldOption[],
  values: OptionValues,
  environment: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const { field, option, secret } of options) {
    const argument = values[option.attributeName()]
    const value = secret
      ? await readSecret(`--${option.name()}`, argument, secret.variable, environment)
      : argument
    // An option without a value is `true`.
    if (typeof value === 'string' || value === true) fields[field.name] = String(value)
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
  throw new UsageError(`use either ${flag} or the variable ${variable}, not both`)
}
