import { GatewayError, LIMITS, readRegularFile } from '@counterfoil/common'

/**
 * Reads a small file that the configuration names.
 *
 * @throws {GatewayError} `config` if the file cannot be read
 */
export function readConfiguredFile(field: string, file: string): string {
  try {
    return Buffer.from(readRegularFile(file, LIMITS.keyFileBytesMax)).toString('utf8')
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const what = isMissing ? 'does not exist' : 'cannot be read'
    throw new GatewayError('config', `${field}: ${file} ${what}.`, { cause })
  }
}
