import { readReportUrl } from '../read-discovery.ts'
import type { ReportError } from '../report-error.ts'
import type { UrlOption } from './print-outcome.ts'

/** The command's URL option, with its value. */
export interface GivenUrl {
  readonly option: UrlOption
  readonly value: string
}

/**
 * Finds out whether a request was refused because it was signed for another address than the gateway's. The refusal of
 * a sandbox shows the URL that the gateway expected; of a production gateway, discovery does.
 *
 * @returns what to do about it; nothing where the addresses agree, or nobody says
 */
export async function adviseAddress(
  { code, refusal = '' }: ReportError,
  { option, value }: GivenUrl,
  { ca, signal }: { readonly ca: string | undefined; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const signed = URL.parse(value)
  if (code !== 'refused' || !signed) return undefined
  const expected = urlInBaseString(refusal) ?? (await readReportUrl(signed, { ca, signal }))
  if (!expected || expected.origin === signed.origin) return undefined
  const corrected = expected.origin + signed.pathname + signed.search
  const facts = `you signed ${signed.origin}; the gateway's address is ${expected.origin}`
  return `${facts}. Use ${option} ${corrected}`
}

/** The URL of the base string in a refusal: what stands between the method and the parameters. */
function urlInBaseString(refusal: string): URL | undefined {
  const [, encoded] = /(?:^|\s)POST&(http[^&\s]*)&/.exec(refusal) ?? []
  if (encoded === undefined) return undefined
  try {
    return URL.parse(decodeURIComponent(encoded)) ?? undefined
  } catch {
    return undefined
  }
}
