import { decodeBase64 } from '../base64.ts'
import { parseAuthorization } from '../header.ts'
import type { Parameter } from '../parameter.ts'
import { isTimestamp } from '../protocol-parameters.ts'
import type { RefusalCode } from '../refusal.ts'
import type { RequestToVerify } from '../verifier.ts'
import { type RefusalMistakeCode, refusalMistakeOf } from './refusal-mistakes.ts'

/** The lengths of HMACs with other hash functions: MD5, SHA-224, SHA-256, SHA-384 and SHA-512. */
const OTHER_HASH_BYTES = [16, 28, 32, 48, 64]
const SHA1_BYTES = 20
const RSA_BYTES_MIN = 128
const HALF_HOUR = 1800
const ZONE_HOURS_MAX = 14
/** How far a clock may be from a whole half hour if it is wrong by its time zone only. */
const ZONE_TOLERANCE_SECONDS = 120

/** Names the mistake of a refusal. Returns undefined if only the signature can show it. */
export function refusalMistake(
  code: RefusalCode,
  request: RequestToVerify,
  receivedAtSeconds: number | undefined,
) {
  if (code === 'signature-mismatch') return undefined
  const parameters = parametersOf(request)
  return refusalMistakeOf(moreExactly(code, parameters, receivedAtSeconds) ?? code)
}

function moreExactly(
  code: RefusalCode,
  parameters: readonly Parameter[],
  receivedAtSeconds: number | undefined,
): RefusalMistakeCode | undefined {
  const valueOf = (wanted: string) => parameters.find(([name]) => name === wanted)?.[1] ?? ''
  if (code === 'timestamp-range') {
    const timestamp = valueOf('oauth_timestamp')
    if (receivedAtSeconds === undefined || !isTimestamp(timestamp)) return undefined
    return isZoneAway(Number(timestamp) - receivedAtSeconds) ? 'timestamp-local-time' : undefined
  }
  const isSignature = code === 'signature-base64' || code === 'signature-length'
  return isSignature
    ? signatureMistake(valueOf('oauth_signature'), valueOf('oauth_signature_method'))
    : undefined
}

function signatureMistake(text: string, method: string): RefusalMistakeCode | undefined {
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

function parametersOf({ authorization }: RequestToVerify): readonly Parameter[] {
  try {
    return parseAuthorization([authorization ?? ''].flat()[0] ?? '').parameters
  } catch {
    return []
  }
}
