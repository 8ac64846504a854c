import { send } from './exchange.ts'
import { hasTexts, parseJson, readText } from './read-failure.ts'

const PATH = '/.well-known/counterfoil'
const IDLE_TIMEOUT_MS = 5_000

/**
 * Asks a gateway for the URL that it expects report requests to be signed for.
 *
 * @param url any URL of the gateway
 * @returns nothing where the gateway does not say it
 */
export async function readReportUrl(
  url: URL,
  { ca, signal }: { readonly ca?: string | undefined; readonly signal: AbortSignal },
): Promise<URL | undefined> {
  const patience = { idleTimeoutMs: IDLE_TIMEOUT_MS, signal }
  const request = {
    method: 'GET',
    url: new URL(PATH, url),
    headers: {},
    body: Buffer.of(),
    ca,
  } as const
  try {
    const discovery = parseJson(await readText(await send(request, patience), patience))
    return hasTexts(discovery, ['reportUrl'])
      ? (URL.parse(String(discovery['reportUrl'])) ?? undefined)
      : undefined
  } catch {
    // The refusal is what counts; this would only have explained it.
    return undefined
  }
}
