import { GatewayError } from '@counterfoil/common'
import type { ReceivedRequest } from '../outcome/outcome.ts'

/**
 * Checks that a page of the gateway sends the request, and not a page of another site. Every browser sends `Origin` or
 * `Sec-Fetch-Site` with a POST and a DELETE, and no page can change them.
 *
 * @throws `cross-site-request`
 */
export function checkSameOrigin(
  { method, browser }: Pick<ReceivedRequest, 'method' | 'browser'>,
  publicUrl: string,
): void {
  const { origin, fetchSite } = browser ?? {}
  const isNamed = origin !== undefined || fetchSite !== undefined
  const isOwn =
    (origin ?? publicUrl) === publicUrl && (fetchSite ?? 'same-origin') === 'same-origin'
  if (isOwn && (isNamed || method === 'GET')) return
  const expected = `Origin: ${publicUrl}, or Sec-Fetch-Site: same-origin`
  throw new GatewayError(
    'cross-site-request',
    `expected a request of a page of the gateway: ${expected}`,
  )
}
