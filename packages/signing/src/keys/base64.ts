import { runtime } from '#crypto'

/** Decodes canonical base64 only (RFC 4648, 3.5), so that the same bytes never have two texts. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = runtime.decodeBase64(text)
  return runtime.encodeBase64(bytes) === text ? bytes : undefined
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
