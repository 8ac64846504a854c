import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const CONFIG = `
[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
default_md = sha256
rand_serial = yes
policy = any
[any]
commonName = supplied
`

/** Makes a self-signed certificate that expired on 2025-02-01, in a new folder below `folder`. */
export function makeExpiredCertificate(folder: string): { certificate: string; key: string } {
  const cwd = mkdtempSync(join(folder, 'expired-'))
  const openssl = (...args: readonly string[]) => {
    execFileSync('openssl', args, { cwd, stdio: 'pipe' })
  }
  writeFileSync(join(cwd, 'ca.conf'), CONFIG)
  writeFileSync(join(cwd, 'index.txt'), '')
  const request = ['-new', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=gateway']
  openssl('req', ...request, '-keyout', 'tls.key', '-out', 'tls.csr')
  const dates = ['-startdate', '20250101000000Z', '-enddate', '20250201000000Z']
  const signing = ['-config', 'ca.conf', '-selfsign', '-keyfile', 'tls.key', '-in', 'tls.csr']
  openssl('ca', '-batch', '-notext', ...signing, ...dates, '-out', 'tls.pem')
  return { certificate: join(cwd, 'tls.pem'), key: join(cwd, 'tls.key') }
}
