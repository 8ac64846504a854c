import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { GatewayError, LIMITS, readPassword, readRegularFile } from '@counterfoil/common'
import { type Letterhead, readImage } from '@counterfoil/formats'
import type { Config } from './config.ts'

/** A certificate with its chain, and its private key. */
export interface TlsFiles {
  /** PEM. */
  readonly cert: string
  /** PEM. */
  readonly key: string
  /** The end of the certificate's validity, in ISO 8601. */
  readonly validTo: string
  /** The fault of the certificate's dates; absent if the certificate is valid now. */
  readonly dateFault?: string
}

/**
 * Reads the files of `tls` in the configuration.
 *
 * @throws {GatewayError} `config` if a file cannot be read, or if the key is not that of the certificate
 */
export function readTls(files: NonNullable<Config['tls']>, now: Date): TlsFiles {
  const [certificateField, keyField] = ['tls.certificate', 'tls.key']
  const cert = readPem(certificateField, files.certificate)
  const key = readPem(keyField, files.key)
  const certificate = unlessBroken(
    () => new X509Certificate(cert),
    `${certificateField}: ${files.certificate} holds no certificate in PEM.`,
  )
  const privateKey = unlessBroken(
    () => createPrivateKey(key),
    `${keyField}: ${files.key} holds no private key in PEM without a passphrase.`,
  )
  if (!certificate.checkPrivateKey(privateKey)) {
    const what = `${files.key} is not the key of the certificate in ${files.certificate}.`
    throw new GatewayError('config', `${keyField}: ${what}`)
  }
  const chain = 'holds a broken certificate in its chain, or a key that is too short.'
  unlessBroken(
    () => createSecureContext({ cert, key }),
    `${certificateField}: ${files.certificate} ${chain}`,
  )
  const dateFault = dateFaultOf(certificate, files.certificate, now)
  const validTo = certificate.validToDate.toISOString()
  return { cert, key, validTo, ...(dateFault !== undefined && { dateFault }) }
}

function dateFaultOf(
  { validFromDate, validToDate }: X509Certificate,
  file: string,
  now: Date,
): string | undefined {
  const day = (date: Date): string => date.toISOString().slice(0, 10)
  if (now > validToDate) return `The certificate in ${file} expired on ${day(validToDate)}.`
  if (now >= validFromDate) return undefined
  return `The certificate in ${file} is not valid before ${day(validFromDate)}.`
}

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

/**
 * Reads the password and the files of `engine.cluster`.
 *
 * @throws {GatewayError} `config` if a file cannot be read, or if others may use the password
 */
export function readServerLogin({
  user,
  caFile,
  ...source
}: NonNullable<Config['engine']['cluster']>) {
  const password = readPassword(source)
  const ca = caFile === undefined ? undefined : readPem('engine.cluster.caFile', caFile)
  return { user, password, ca }
}

function readPem(field: string, file: string): string {
  try {
    return Buffer.from(readRegularFile(file, LIMITS.keyFileBytesMax)).toString('utf8')
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const what = isMissing ? 'does not exist' : 'cannot be read'
    throw new GatewayError('config', `${field}: ${file} ${what}.`, { cause })
  }
}

function unlessBroken<T>(parse: () => T, message: string): T {
  try {
    return parse()
  } catch (cause) {
    throw new GatewayError('config', message, { cause })
  }
}
