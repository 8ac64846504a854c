import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { GatewayError } from './errors.ts'

/**
 * Reads the text of a file that nobody else may use. A group of this process may read it (mode 0640).
 *
 * @param what names the file in errors: "master key file"
 * @param groups the ids of this process's groups
 * @throws {GatewayError} `config` if the file cannot be read, or if others may use it
 */
export function readPrivateFile(
  file: string,
  what: string,
  groups: readonly (number | undefined)[] = [process.getegid?.(), ...(process.getgroups?.() ?? [])],
): string {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const { mode, gid } = fstatSync(descriptor)
      if ((mode & (groups.includes(gid) ? 0o037 : 0o077)) === 0)
        return readFileSync(descriptor, 'utf8')
      throw new GatewayError('config', `Others may use the ${what}. Run: chmod 600 ${file}`)
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('config', `Cannot read the ${what} ${file}`, { cause })
  }
}

/** Where a password is: in a file, or in a variable of the environment. */
export interface PasswordSource {
  readonly passwordFile?: string | undefined
  readonly passwordEnvironment?: string | undefined
}

/**
 * Reads a password. Spaces and line breaks at its end are not a part of it.
 *
 * @throws {GatewayError} `config` if the file cannot be read, if others may use it, or if the variable is not set
 */
export function readPassword(
  { passwordFile, passwordEnvironment }: PasswordSource,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  if (passwordFile !== undefined) return readPrivateFile(passwordFile, 'password file').trimEnd()
  const password = environment[passwordEnvironment ?? '']?.trimEnd()
  if (password) return password
  throw new GatewayError('config', `expected a password in $${passwordEnvironment}`)
}
