/** A SHA-256 digest as the value of `Repr-Digest`: `sha-256=:<base64>:` (RFC 9530, section 3). */
export function formatReprDigest(sha256Base64: string): string {
  return `sha-256=:${sha256Base64}:`
}

/** The SHA-256 digest, in base64, of a `Repr-Digest` value; `undefined` where it holds none. */
export function parseReprDigest(value: string): string | undefined {
  return /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(value)?.[1]
}
