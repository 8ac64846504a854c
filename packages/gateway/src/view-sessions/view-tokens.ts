import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** Makes the token of a link or of a session: 256 random bits in base64url. */
export function makeViewToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** Whether a text has the form of a token. */
export function isViewToken(text: string): boolean {
  return TOKEN.test(text)
}

/** Returns the SHA-256 of a token in hex: the only form in which the store knows it. */
export function hashViewToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
