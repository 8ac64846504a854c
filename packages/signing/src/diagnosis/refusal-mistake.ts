import { decodeBase64 } from '../keys/base64.ts'
import { parseAuthorization } from '../parameters/header.ts'
import type { Parameter } from '../parameters/parameter.ts'
import type { RefusalCode } from '../refusals/refusal.ts'
import type { RequestToVerify } from '../verify/verifier.ts'
import type { MistakeCode } from './mistakes.ts'

/** The lengths of HMACs with other hash functions: MD5, SHA-224, SHA-256, SHA-384 and SHA-512. */
const OTHER_HASH_BYTES = [16, 28, 32, 48, 64]
const SHA1_BYTES = 20
const RSA_BYTES_MIN = 128
const HALF_HOUR = 1800
const ZONE_HOURS_MAX = 14
/** How far a clock may be from a whole half hour if it is wrong by its time zone only. */
const ZONE_TOLERANCE_SECONDS = 120

/** Names the mistake of a refusal: by the refusal's own code, or a more precise one. */
export function refusalMistake(
  code: Exclude<RefusalCode, 'signature-mismatch'>,
  { authorization }: RequestToVerify,
  receivedAtSeconds: number | undefined,
): MistakeCode {
  const valueOf = (wanted: string) => {
    return parametersOf(authorization).find(([name]) => name === wanted)?.[1] ?? ''
  }
  if (code === 'timestamp-range' && receivedAtSeconds !== undefined) {
    const ahead = Number(valueOf('oauth_timestamp')) - receivedAtSeconds
    return isZoneAway(ahead) ? 'timestamp-local-time' : code
  }
  if (code !== 'signature-base64' && code !== 'signature-length') return code
  return signatureMistake(valueOf('oauth_signature'), valueOf('oauth_signature_method')) ?? code
}

function signatureMistake(text: string, method: string): MistakeCode | undefined {
  if (/%(?:2B|2F|3D)/i.test(text)) return 'signature-encoded-twice'
  if (/^(?:[\da-f]{2}){16,}$/i.test(text)) return 'signature-hex'
  const bytes = decodeBase64(text)
  if (!bytes) return /^[\w-]+={0,2}$/.test(text) ? 'signature-base64url' : undefined
  if (/^(?:[\da-f]{2}){16,}$/i.test(String.fromCharCode(...bytes))) return 'signature-hex'
  if (method !== 'HMAC-SHA1') return bytes.length === SHA1_BYTES ? 'method-not-used' : undefined
  if (OTHER_HASH_BYTES.includes(bytes.length)) return 'hmac-other-hash'
  return bytes.length >= RSA_BYTES_MIN ? 'method-not-used' : undefined
}

/** Whether a difference of clocks is one of time zones: whole half hours, up to 14 hours. */
function isZoneAway(seconds: number): boolean {
  const halfHours = Math.round(seconds / HALF_HOUR)
  const rest = Math.abs(seconds - halfHours * HALF_HOUR)
  return (
    halfHours !== 0 && Math.abs(halfHours) <= ZONE_HOURS_MAX * 2 && rest <= ZONE_TOLERANCE_SECONDS
  )
}

function parametersOf(authorization: RequestToVerify['authorization']): readonly Parameter[] {
  try {
    return parseAuthorization([authorization ?? ''].flat()[0] ?? '').parameters
  } catch {
    return []
  }
}
