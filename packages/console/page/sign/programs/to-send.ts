import { percentEncode, type Signed } from '@counterfoil/signing'
import type { PlainRequest } from '../request-of.ts'

/**
 * What a program sends. A run changes only the nonce, the timestamp and the signature, so all other text is literal.
 * The key is no part of it.
 */
export interface ToSend extends PlainRequest {
  readonly isRsa: boolean
  /** The base string before the nonce, between the nonce and the timestamp, and after the timestamp. */
  readonly baseString: readonly string[]
  /** The header before the nonce, between it, the signature and the timestamp, and after the timestamp. */
  readonly header: readonly string[]
}

/** Cuts a signed request where its nonce, timestamp and signature stand. */
export function toSend(request: PlainRequest, signed: Signed): ToSend {
  const value = (wanted: string) => {
    return percentEncode(signed.oauthParameters.find(([name]) => name === wanted)?.[1] ?? '')
  }
  const [nonce, timestamp] = [value('oauth_nonce'), value('oauth_timestamp')]
  return {
    ...request,
    method: request.method.toUpperCase(),
    // Not every HTTP client encodes what a person typed.
    url: new URL(request.url).href,
    isRsa: value('oauth_signature_method') === 'RSA-SHA256',
    baseString: cut(signed.baseString, '%26', [
      `oauth_nonce%3D${percentEncode(nonce)}`,
      `oauth_timestamp%3D${percentEncode(timestamp)}`,
    ]),
    header: cut(signed.authorization, ',', [
      `oauth_nonce="${nonce}`,
      `oauth_signature="${percentEncode(signed.signature)}`,
      `oauth_timestamp="${timestamp}`,
    ]),
  }
}

/** Takes the value of each parameter out of a text. The names are in order, and each follows a separator. */
function cut(text: string, separator: string, parameters: readonly string[]): string[] {
  const pieces: string[] = []
  let rest = text
  for (const parameter of parameters) {
    const at = rest.indexOf(separator + parameter) + separator.length
    const nameLength = parameter.search(/%3D|"/) + (separator === ',' ? 1 : '%3D'.length)
    pieces.push(rest.slice(0, at + nameLength))
    rest = rest.slice(at + parameter.length)
  }
  return [...pieces, rest]
}
