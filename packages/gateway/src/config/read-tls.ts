import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { GatewayError } from '@counterfoil/common'
import { readConfiguredFile } from './read-configured-file.ts'

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
export function readTls(
  files: { readonly certificate: string; readonly key: string },
  now: Date,
): TlsFiles {
  const { certificate: certificateFile, key: keyFile } = files
  const cert = readConfiguredFile('tls.certificate', certificateFile)
  const key = readConfiguredFile('tls.key', keyFile)
  const certificate = parseCertificate(cert, certificateFile)
  if (!certificate.checkPrivateKey(parseKey(key, keyFile))) {
    throw fault('tls.key', `${keyFile} is not the key of the certificate in ${certificateFile}.`)
  }
  try {
    createSecureContext({ cert, key })
  } catch (cause) {
    const what = 'holds a broken certificate in its chain, or a key that is too short'
    throw fault('tls.certificate', `${certificateFile} ${what}.`, cause)
  }
  const dateFault = dateFaultOf(certificate, certificateFile, now)
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

function parseCertificate(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    throw fault('tls.certificate', `${file} holds no certificate in PEM.`, cause)
  }
}

function parseKey(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    throw fault('tls.key', `${file} holds no private key in PEM without a passphrase.`, cause)
  }
}

function fault(field: string, what: string, cause?: unknown): GatewayError {
  return new GatewayError('config', `${field}: ${what}`, { cause })
}
