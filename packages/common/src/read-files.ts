import { readFileSync, statSync } from 'node:fs'
import { GatewayError } from './errors.ts'

/**
 * Reads a regular file, such as a configuration or a report file. A pipe or a device would block the complete process.
 *
 * @throws the error of the file system, or an error with the reason why the file is not read
 */
export function readRegularFile(file: string, bytesMax: number): Uint8Array {
  const stat = statSync(file)
  if (!stat.isFile()) throw new Error('it is a folder, a pipe or a device')
  if (stat.size > bytesMax) throw new Error(`it has more than ${Math.floor(bytesMax / 1024)} KiB`)
  return readFileSync(file)
}

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
  let text: string
  let mayUse: number
  try {
    const { mode, gid } = statSync(file)
    mayUse = mode & (groups.includes(gid) ? 0o037 : 0o077)
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new GatewayError('config', `Cannot read the ${what} ${file}`, { cause })
  }
  if (mayUse === 0) return text
  throw new GatewayError('config', `Others may use the ${what}. Run: chmod 600 ${file}`)
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
