import { runtime } from '#runtime'
import { failureOf, readText } from '../errors/read-failure.ts'

const PATH = '/.well-known/jwks.json'
const IDLE_TIMEOUT_MS = 30_000

/**
 * Asks a gateway for the public keys of its signed manifests. The request needs no login.
 *
 * @param url Any URL of the gateway.
 * @returns A JSON Web Key Set (RFC 7517), as the gateway sent it.
 * @throws {CounterfoilError} If the gateway has no keys, or does not answer.
 * @example
 * const signal = AbortSignal.timeout(5_000)
 * const jwks = await readJwks(new URL(endpoint), { signal })
 * JSON.parse(jwks).keys.length // 0
 */
export async function readJwks(
  url: URL,
  { ca, signal }: { readonly ca?: string | undefined; readonly signal: AbortSignal },
): Promise<string> {
  const request = { method: 'GET', url: new URL(PATH, url), headers: {} } as const
  const send = runtime.createTransport(ca)
  const answer = await send(request, { idleTimeoutMs: IDLE_TIMEOUT_MS, signal })
  const text = await readText(answer)
  if (answer.status === 200) return text
  throw failureOf(answer, text, 'a JSON Web Key Set')
}
