import { createHash, generateKeyPairSync } from 'node:crypto'
import { percentEncode } from '@counterfoil/signing'
import type { Subject } from '../check.ts'
import { asksEach, type Changes, onlyFor, refusesCaller } from '../make-checks.ts'
import { type Change, hmac, rsa, type Secret } from '../sign-request.ts'

const HMAC = `
refuse-wrong-control-key | must | refuses another control key | specification, Signature generation, step 6 | a signature with the control key and one more character
refuse-key-without-ampersand | must | refuses a key without the ampersand after it | specification, Signature generation, step 6 | an HMAC with the control key alone
refuse-empty-key | must | refuses an empty key | specification, Signature generation, step 6 | an HMAC with the key "&"
refuse-key-with-line-end | must | refuses a key with a line end | specification, Signature generation, step 6 | an HMAC with the control key, a line feed and an ampersand
refuse-hmac-sha256 | must | refuses HMAC-SHA256 under the name HMAC-SHA1 | specification, Signature generation, step 6 | an HMAC with SHA-256
refuse-bare-sha1 | must | refuses a hash without a key | specification, Signature generation, step 6 | the SHA-1 of the base string
`

const RSA = `
refuse-wrong-rsa-key | must | refuses another RSA key | specification, Signature generation, step 6 | a signature with a new RSA key of 2048 bits
refuse-pss | must | refuses the padding PSS | specification, Signature generation; RFC 8017, 8.2 | an RSA signature with PSS
refuse-rsa-sha1 | must | refuses RSA with SHA-1 | specification, Signature generation, step 6 | an RSA signature with SHA-1
`

const CHANGES: Changes = {
  'refuse-wrong-control-key': { sign: hmacWith((key) => `${key}x&`) },
  'refuse-key-without-ampersand': { sign: hmacWith((key) => key) },
  'refuse-empty-key': { sign: hmacWith(() => '&') },
  'refuse-key-with-line-end': { sign: hmacWith((key) => `${key}\n&`) },
  'refuse-hmac-sha256': { sign: hmacWith((key) => `${key}&`, 'sha256') },
  'refuse-bare-sha1': { sign: (base) => createHash('sha1').update(base).digest('base64') },
  'refuse-wrong-rsa-key': {
    sign: (base) => rsa(base, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
  },
  'refuse-pss': { sign: rsaWith('RSA-SHA256', true) },
  'refuse-rsa-sha1': { sign: rsaWith('RSA-SHA1', false) },
}

/** What a gateway must refuse, because of the key or the algorithm. */
export const REFUSED_KEYS: Subject = {
  name: 'Wrong keys',
  checks: [
    ...asksEach(HMAC, CHANGES, refusesCaller).map((each) => onlyFor('HMAC-SHA1', each)),
    ...asksEach(RSA, CHANGES, refusesCaller).map((each) => onlyFor('RSA-SHA256', each)),
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
