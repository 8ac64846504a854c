import type { Mistake } from './mistake.ts'

const CLAUSE = 'specification, Signature generation, step 6'
const FIX = 'Sign the base string with RSASSA-PKCS1-v1_5 and SHA-256 (openssl dgst -sha256 -sign).'

/** Mistakes with RSA-SHA256, which the opened signature shows. */
export const RSA_MISTAKES = {
  sha1: {
    code: 'rsa-sha1',
    sentence: 'You signed with RSA and SHA-1.',
    fix: FIX,
    clause: CLAUSE,
  },
  otherHash: {
    code: 'rsa-other-hash',
    sentence: 'You signed with RSA and another hash function than SHA-256.',
    fix: FIX,
    clause: CLAUSE,
  },
  pss: {
    code: 'rsa-pss',
    sentence: 'You signed with the padding PSS.',
    fix: 'Sign with RSASSA-PKCS1-v1_5 and SHA-256: the key is the same, the padding another.',
    clause: CLAUSE,
  },
  withoutName: {
    code: 'rsa-without-hash-name',
    sentence:
      'You encrypted the hash or the text with the private key instead of signing the text.',
    fix: `${FIX.slice(0, -1)}, not with a function that encrypts.`,
    clause: 'RFC 8017, 9.2',
  },
  hashSigned: {
    code: 'rsa-of-hash',
    sentence: 'You signed the hash of the base string instead of the base string.',
    fix: 'Pass the base string to the signing function, which hashes it itself.',
    clause: CLAUSE,
  },
  otherKey: {
    code: 'rsa-other-key',
    sentence: 'You signed with another private key than the one whose public key the login has.',
    fix: 'Compare the fingerprint of your key with the one that the operator has for your login.',
    clause: 'specification, Key pair',
  },
} as const satisfies Readonly<Record<string, Mistake>>
