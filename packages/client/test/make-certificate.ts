import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'

/** A certificate and its private key, in PEM, and their files. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  readonly certificateFile: string
  readonly keyFile: string
}

const DAY_MS = 86_400_000

/**
 * Makes a certificate for `commonName` and the address 127.0.0.1, and writes `tls.pem` and `tls.key` to `folder`.
 *
 * @param options a `dnsName` in place of the address, or null for neither; the `issuer`, by default the certificate itself; whether the
 *   certificate has `expired` on 2025-02-01; another `name` of the files
 */
export async function makeCertificate(
  folder: string,
  commonName: string,
  options: {
    readonly dnsName?: string | null
    readonly issuer?: Certificate
    readonly expired?: boolean
    readonly name?: string
  } = {},
): Promise<Certificate> {
  const { dnsName, issuer, expired = false, name = 'tls' } = options
  const notBeforeDate = expired ? new Date('2025-01-01') : new Date(Date.now() - 1000)
  const notAfterDate = expired ? new Date('2025-02-01') : new Date(Date.now() + 2 * DAY_MS)
  const host =
    typeof dnsName === 'string'
      ? { type: 2 as const, value: dnsName }
      : { type: 7 as const, ip: '127.0.0.1' }
  const made = await generate([{ name: 'commonName', value: commonName }], {
    algorithm: 'sha256',
    notBeforeDate,
    notAfterDate,
    extensions: [
      { name: 'basicConstraints', cA: true },
      ...(dnsName === null ? [] : [{ name: 'subjectAltName' as const, altNames: [host] }]),
    ],
    ...(issuer && { ca: issuer }),
  })
  const [certificateFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  const cert = `${made.cert.trim()}\n`
  writeFileSync(certificateFile, cert)
  writeFileSync(keyFile, made.private, { mode: 0o600 })
  return { cert, key: made.private, certificateFile, keyFile }
}
