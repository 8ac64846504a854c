import { runtime } from '#runtime'
import { hasTexts, parseJson, readText } from '../errors/read-failure.ts'

const PATH = '/.well-known/counterfoil'
const IDLE_TIMEOUT_MS = 5_000

/**
 * Asks a gateway for the URL that callers sign when they request reports.
 *
 * @param url Any URL of the gateway.
 * @returns Undefined if the gateway does not say.
 *
 * @example
 * const signal = AbortSignal.timeout(5_000)
 * const reportUrl = await readReportUrl(new URL('/', endpoint), { signal })
 * reportUrl?.href === endpoint // true
 */
export async function readReportUrl(
  url: URL,
  { ca, signal }: { readonly ca?: string | undefined; readonly signal: AbortSignal },
): Promise<URL | undefined> {
  const request = { method: 'GET', url: new URL(PATH, url), headers: {} } as const
  try {
    const send = runtime.createTransport(ca)
    const answer = await send(request, { idleTimeoutMs: IDLE_TIMEOUT_MS, signal })
    const discovery = parseJson(await readText(answer))
    return hasTexts(discovery, ['reportUrl'])
      ? (URL.parse(String(discovery['reportUrl'])) ?? undefined)
      : undefined
  } catch {
    // The caller already has a refusal to report. Discovery would only have explained it.
    return undefined
  }
}
