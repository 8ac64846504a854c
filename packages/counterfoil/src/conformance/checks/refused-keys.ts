import { createHash, generateKeyPairSync } from 'node:crypto'
import { percentEncode } from '@counterfoil/signing'
import type { Subject } from '../check.ts'
import { onlyFor, type RefusalRow, refuses } from '../make-checks.ts'
import { type Change, hmac, rsa, type Secret } from '../sign-request.ts'

const SIGNATURE = 'specification, Signature generation'

/** Mistakes with a control key, and with an RSA key. */
const HMAC: readonly RefusalRow[] = [
  [
    'refuse-wrong-control-key',
    'refuses another control key',
    `${SIGNATURE}, step 6`,
    'a signature with the control key and one more character',
    { sign: hmacWith((key) => `${key}x&`) },
  ],
  [
    'refuse-key-without-ampersand',
    'refuses a key without the ampersand after it',
    `${SIGNATURE}, step 6`,
    'an HMAC with the control key alone',
    { sign: hmacWith((key) => key) },
  ],
  [
    'refuse-empty-key',
    'refuses an empty key',
    `${SIGNATURE}, step 6`,
    'an HMAC with the key "&"',
    { sign: hmacWith(() => '&') },
  ],
  [
    'refuse-key-with-line-end',
    'refuses a key with a line end',
    `${SIGNATURE}, step 6`,
    'an HMAC with the control key, a line feed and an ampersand',
    { sign: hmacWith((key) => `${key}\n&`) },
  ],
  [
    'refuse-hmac-sha256',
    'refuses HMAC-SHA256 under the name HMAC-SHA1',
    `${SIGNATURE}, step 6`,
    'an HMAC with SHA-256',
    { sign: hmacWith((key) => `${key}&`, 'sha256') },
  ],
  [
    'refuse-bare-sha1',
    'refuses a hash without a key',
    `${SIGNATURE}, step 6`,
    'the SHA-1 of the base string',
    { sign: (base) => createHash('sha1').update(base).digest('base64') },
  ],
]

const RSA: readonly RefusalRow[] = [
  [
    'refuse-wrong-rsa-key',
    'refuses another RSA key',
    `${SIGNATURE}, step 6`,
    'a signature with a new RSA key of 2048 bits',
    { sign: (base) => rsa(base, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey) },
  ],
  [
    'refuse-pss',
    'refuses the padding PSS',
    'specification, Signature generation; RFC 8017, 8.2',
    'an RSA signature with PSS',
    { sign: rsaWith('RSA-SHA256', true) },
  ],
  [
    'refuse-rsa-sha1',
    'refuses RSA with SHA-1',
    `${SIGNATURE}, step 6`,
    'an RSA signature with SHA-1',
    { sign: rsaWith('RSA-SHA1', false) },
  ],
]

/** What a gateway must refuse, because of the key or the algorithm. */
export const REFUSED_KEYS: Subject = {
  name: 'Wrong keys',
  checks: [
    ...HMAC.map((row) => onlyFor('HMAC-SHA1', refuses(row))),
    ...RSA.map((row) => onlyFor('RSA-SHA256', refuses(row))),
  ],
}

function hmacWith(
  keyOf: (controlKey: string) => string,
  hash = 'sha1',
): NonNullable<Change['sign']> {
  return (base, secret: Secret) => {
    return secret.method === 'HMAC-SHA1'
      ? hmac(base, keyOf(percentEncode(secret.controlKey)), hash)
      : ''
  }
}

function rsaWith(hash: string, isPss: boolean): NonNullable<Change['sign']> {
  return (base, secret: Secret) => {
    return secret.method === 'RSA-SHA256' ? rsa(base, secret.privateKey, hash, isPss) : ''
  }
}
