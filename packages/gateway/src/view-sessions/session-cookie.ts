import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** Makes the token of a link or of a session: 256 random bits in base64url. */
export function makeViewToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

export function isViewToken(text: string): boolean {
  return TOKEN.test(text)
}

/** Returns the SHA-256 of a token in hex: the only form in which the store knows it. */
export function hashViewToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/**
 * Returns the header `Set-Cookie` of a view session. Over HTTPS, the prefix `__Host-` keeps other hosts and plain HTTP
 * from setting the cookie.
 *
 * @param maxAgeSeconds 0 removes the cookie
 */
export function sessionCookie(publicUrl: string, token: string, maxAgeSeconds: number): string {
  const secure = isSecure(publicUrl) ? '; Secure' : ''
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
  return `${cookieName(publicUrl)}=${token}; ${attributes}`
}

/** Reads the token of the header `Cookie`. Returns nothing if the cookie is missing, malformed, or there twice. */
export function readSessionCookie(publicUrl: string, header: string): string | undefined {
  const start = `${cookieName(publicUrl)}=`
  const pairs = header.split(';').map((pair) => pair.trim())
  const [value, ...others] = pairs
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
  return value !== undefined && others.length === 0 && isViewToken(value) ? value : undefined
}

function cookieName(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-counterfoil' : 'counterfoil'
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}
