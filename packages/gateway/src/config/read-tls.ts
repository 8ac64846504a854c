import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { GatewayError } from '../errors.ts'

/** A certificate with its chain, and its private key. */
export interface TlsFiles {
  /** PEM. */
  readonly cert: string
  /** PEM. */
  readonly key: string
  /** The last moment at which the certificate is valid, in ISO 8601. */
  readonly validTo: string
}

/**
 * Reads the files that `tls` of the configuration names.
 *
 * @throws `config` when a file cannot be read, or certificate and key do not belong together
 */
export function readTls(files: { readonly certificate: string; readonly key: string }): TlsFiles {
  const tls = { cert: readPem(files.certificate), key: readPem(files.key) }
  try {
    createSecureContext(tls)
    return { ...tls, validTo: new X509Certificate(tls.cert).validToDate.toISOString() }
  } catch (cause) {
    const expected = `expected ${files.certificate} and ${files.key} to be a certificate and its key`
    throw new GatewayError('config', `tls: ${expected}: ${reasonOf(cause)}`, { cause })
  }
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const message = `tls: expected a PEM file at ${file}: ${reasonOf(cause)}`
    throw new GatewayError('config', message, { cause })
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
