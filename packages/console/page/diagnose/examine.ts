import { diagnose, type Diagnosis, parseAuthorization, readPasted } from '@counterfoil/signing'
import type { Draft } from '../sign/draft.ts'
import type { PlainRequest } from '../sign/request-of.ts'
import { importTypedKey, type TypedKey } from '../sign/typed-key.ts'

/** What a person knows of a refused request. */
export interface Refusal {
  /** The Authorization header, a curl command line, or an entry of a HAR file. */
  readonly pasted: string
  /** What the paste does not say. Empty texts are unknown. */
  readonly method: string
  readonly url: string
  readonly contentType: string
  readonly body: string
  /** The base string that the person's own program signed. */
  readonly baseString: string
  readonly key: TypedKey
}

/** A diagnosis, and the request that it is about. */
export interface Examined {
  readonly request: PlainRequest
  /** What the header names. */
  readonly signed: Partial<Pick<Draft, 'login' | 'nonce' | 'timestamp'>>
  readonly diagnosis: Diagnosis
}

/**
 * Diagnoses a refused request.
 *
 * @param usualUrl the URL of a request whose URL is unknown
 * @throws {SigningError} if the paste or the key cannot be read
 */
export async function examine(refusal: Refusal, usualUrl: string): Promise<Examined> {
  const { key, baseString } = refusal
  const pasted = await readPasted(refusal.pasted)
  const body = refusal.body === '' ? pasted.body : refusal.body
  const usualType = body === undefined ? undefined : 'application/json'
  const request = {
    method: refusal.method || (pasted.method ?? 'POST'),
    url: refusal.url || (pasted.url ?? usualUrl),
    contentType: refusal.contentType || (pasted.contentType ?? usualType),
    body,
  }
  const { authorization, sentAtSeconds } = pasted
  // A text area ends with the line end that came with the paste.
  const claimed = baseString.replace(/\r?\n$/, '')
  const diagnosis = await diagnose(
    { ...request, authorization, body: new TextEncoder().encode(body ?? '') },
    {
      keys: key.text.trim() === '' ? [] : [await importTypedKey(key)],
      ...(claimed !== '' && { baseString: claimed }),
      ...(sentAtSeconds !== undefined && { receivedAtSeconds: sentAtSeconds }),
    },
  )
  return { request, signed: readHeader(authorization ?? ''), diagnosis }
}

/** The diagnosis says what is wrong with a malformed header. */
function readHeader(authorization: string): Examined['signed'] {
  try {
    const values = new Map(parseAuthorization(authorization).parameters)
    const [login, nonce, timestamp] = ['consumer_key', 'nonce', 'timestamp'].map((name) => {
      return values.get(`oauth_${name}`)
    })
    return { ...(login && { login }), ...(nonce && { nonce }), ...(timestamp && { timestamp }) }
  } catch {
    return {}
  }
}
