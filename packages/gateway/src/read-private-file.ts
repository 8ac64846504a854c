import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { GatewayError } from './errors.ts'

/**
 * Reads the text of a file of which the group and all others have no rights.
 *
 * @param what names the file in errors: "master key file"
 * @throws {GatewayError} `config` if the file cannot be read, or if others may use it
 */
export function readPrivateFile(file: string, what: string): string {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const mode = fstatSync(descriptor).mode & 0o777
      if ((mode & 0o077) === 0) return readFileSync(descriptor, 'utf8')
      throw new GatewayError('config', `Others may use the ${what}. Run: chmod 600 ${file}`)
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('config', `Cannot read the ${what} ${file}`, { cause })
  }
}
