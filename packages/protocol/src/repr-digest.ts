/** Formats a SHA-256 digest as the value of `Repr-Digest`: `sha-256=:<base64>:` (RFC 9530, section 3). */
export function formatReprDigest(sha256Base64: string): string {
  return `sha-256=:${sha256Base64}:`
}

/** Returns the SHA-256 digest in base64 from a value of `Repr-Digest`, or undefined if it has none. */
export function parseReprDigest(value: string): string | undefined {
  return /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(value)?.[1]
}

/** Returns a digest in hex, as `sha256sum` prints it. */
export function digestInHex(base64: string): string {
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(
    '',
  )
}
