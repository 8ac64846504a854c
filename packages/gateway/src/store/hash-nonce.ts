import { createHash } from 'node:crypto'

/** Hashes a nonce as the store keeps it: a caller may send anything as a nonce, a card number too. */
export function hashNonce(login: string, timestampSeconds: number, nonce: string): string {
  const use = JSON.stringify([login, timestampSeconds, nonce])
  return createHash('sha256').update(use).digest('base64url')
}
