import { type CounterfoilError, readReportUrl } from '@counterfoil/client'
import type { UrlOption } from '../print/print-outcome.ts'

/** The command's URL option, with its value. */
export interface UrlSetting {
  readonly option: UrlOption
  readonly value: string
}

/** The codes of problems at a path that takes no reports, such as that of the console. */
const OTHER_PATH_CODES = ['not-found', 'method-not-allowed']

/**
 * Finds out whether a request failed because its address is not the gateway's. The refusal of a sandbox shows the
 * address that the gateway expects. Discovery shows the report URL, also in production.
 *
 * @returns what to do; `undefined` if the addresses agree, or the gateway does not show its own
 */
export async function adviseAddress(
  error: CounterfoilError,
  { option, value }: UrlSetting,
  { ca, signal }: { readonly ca: string | undefined; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const signed = URL.parse(value)
  if (!signed) return undefined
  const discover = async () => await readReportUrl(signed, { ca, signal })
  if (error.code === 'not-authorised') {
    const expected = urlInBaseString(error.refusal ?? '') ?? (await discover())
    if (!expected || expected.origin === signed.origin) return undefined
    const corrected = expected.origin + signed.pathname + signed.search
    const facts = `you signed ${signed.origin}; the gateway's address is ${expected.origin}`
    return `${facts}. Use ${option} ${corrected}`
  }
  const isOtherPath =
    error.code === 'report-refused' && OTHER_PATH_CODES.includes(error.problem.code)
  if (!isOtherPath || option !== '--endpoint') return undefined
  const expected = await discover()
  if (!expected) return undefined
  if (expected.href !== signed.href)
    return `the gateway's report URL is another. Use ${option} ${expected.href}`
  return '--endpoint is right, but this gateway does not serve what you asked for: it may be an older one'
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
