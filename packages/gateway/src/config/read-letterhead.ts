import { GatewayError, LIMITS, readRegularFile } from '@counterfoil/common'
import { type Letterhead, readImage } from '@counterfoil/formats'
import type { Config } from './config.ts'

/**
 * Reads the logo of `formats.pdf.letterhead` in the configuration.
 *
 * @throws {GatewayError} `config` if the file cannot be read, or if it is no picture that a PDF can hold
 */
export function readLetterhead({ formats }: Pick<Config, 'formats'>): Letterhead | undefined {
  const { letterhead } = formats.pdf
  if (!letterhead) return undefined
  const { name, address, logo } = letterhead
  if (logo === undefined) return { name, address }
  try {
    return { name, address, logo: readImage(readRegularFile(logo, LIMITS.logoBytesMax)) }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const what = `cannot use ${logo}: ${reason}`
    throw new GatewayError('config', `formats.pdf.letterhead.logo: ${what}.`, { cause })
  }
}
