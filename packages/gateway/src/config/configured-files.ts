import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import {
  codeOf,
  GatewayError,
  LIMITS,
  messageOf,
  readPassword,
  readRegularFile,
} from '@counterfoil/common'
import { type Letterhead, readImage } from '@counterfoil/formats'
import type { Config } from './config.ts'

/**
 * Reads the files of `tls` in the configuration.
 *
 * @returns both in PEM; the end of the certificate's validity; and the fault of its dates, unless it is valid now
 * @throws {GatewayError} `config` if a file cannot be read, or if the key is not that of the certificate
 */
export function readTls({ certificate, key }: NonNullable<Config['tls']>, now: Date) {
  const tls = { cert: readPem('tls.certificate', certificate), key: readPem('tls.key', key) }
  const x509 = unlessBroken(
    () => new X509Certificate(tls.cert),
    `tls.certificate: ${certificate} holds no certificate in PEM.`,
  )
  const privateKey = unlessBroken(
    () => createPrivateKey(tls.key),
    `tls.key: ${key} holds no private key in PEM without a passphrase.`,
  )
  unlessBroken(() => {
    createSecureContext(tls)
    // OpenSSL compares keys of one type only.
    if (!x509.checkPrivateKey(privateKey)) throw new Error('The key has another type.')
  }, `tls.key: ${key} is not the key of the certificate in ${certificate}, or the chain is broken.`)
  const { validFromDate, validToDate } = x509
  const day = (date: Date): string => date.toISOString().slice(0, 10)
  const dateFault =
    now > validToDate
      ? `expired on ${day(validToDate)}`
      : now < validFromDate && `is not valid before ${day(validFromDate)}`
  return {
    ...tls,
    validTo: validToDate.toISOString(),
    ...(dateFault && { dateFault: `The certificate in ${certificate} ${dateFault}.` }),
  }
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
    const message = `formats.pdf.letterhead.logo: cannot use ${logo}: ${messageOf(cause)}.`
    throw new GatewayError('config', message, { cause })
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
    const what = codeOf(cause) === 'ENOENT' ? 'does not exist' : 'cannot be read'
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
