import { type CounterfoilError, readReportUrl } from '@counterfoil/client'
import type { UrlOption } from '../print/print-outcome.ts'

/** The command's URL option, with its value. */
export interface UrlSetting {
  readonly option: UrlOption
  readonly value: string
}

/**
 * Finds out whether the gateway refused a request because its signature covers another address than the gateway's. The
 * refusal of a sandbox shows the gateway's address. A production gateway shows it in its discovery document.
 *
 * @returns what to do; `undefined` if the addresses agree, or the gateway does not show its own
 */
export async function adviseAddress(
  error: CounterfoilError,
  { option, value }: UrlSetting,
  { ca, signal }: { readonly ca: string | undefined; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const signed = URL.parse(value)
  if (error.code !== 'not-authorised' || !signed) return undefined
  const expected =
    urlInBaseString(error.refusal ?? '') ?? (await readReportUrl(signed, { ca, signal }))
  if (!expected || expected.origin === signed.origin) return undefined
  const corrected = expected.origin + signed.pathname + signed.search
  const facts = `you signed ${signed.origin}; the gateway's address is ${expected.origin}`
  return `${facts}. Use ${option} ${corrected}`
}

/** The URL of the base string in a refusal: the part between the method and the parameters. */
function urlInBaseString(refusal: string): URL | undefined {
  const [, encoded] = /(?:^|\s)POST&(http[^&\s]*)&/.exec(refusal) ?? []
  if (encoded === undefined) return undefined
  try {
    return URL.parse(decodeURIComponent(encoded)) ?? undefined
  } catch {
    return undefined
  }
}
