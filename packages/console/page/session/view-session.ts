import type { Gateway } from './gateway.ts'

/** What the gateway says of the view session whose cookie the browser holds. */
export interface ViewSessionInfo {
  readonly login: string
  readonly role: string
  readonly expiresAt: string
}

const LINK = /^#link=([\w-]+)$/

/**
 * Begins a view session if the page was opened by a one-time link, and removes the link's token from the address.
 *
 * @returns whether it began one
 * @throws if the link is unknown, used or expired
 */
export async function beginByLink({ viewSessionUrl }: Gateway): Promise<boolean> {
  const [, link] = LINK.exec(location.hash) ?? []
  if (link === undefined) return false
  history.replaceState(undefined, '', location.pathname)
  if (viewSessionUrl === undefined) throw new Error('This gateway has no view sessions.')
  const response = await fetch(viewSessionUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ link }),
  })
  if (!response.ok) throw new Error(await reasonOf(response))
  return true
}

// A one-time link may be opened in a tab that shows the console already.
addEventListener('hashchange', () => {
  if (LINK.test(location.hash)) location.reload()
})

/** Asks for the view session of the browser. Returns undefined if it has none. */
export async function findViewSession({
  viewSessionUrl,
}: Gateway): Promise<ViewSessionInfo | undefined> {
  if (viewSessionUrl === undefined) return undefined
  const response = await fetch(viewSessionUrl, { cache: 'no-store' })
  // Without a session, the answer has status 204.
  if (response.status !== 200) return undefined
  // The gateway that served this page is trusted.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (await response.json()) as ViewSessionInfo
}

/** Ends the view session of the browser. */
export async function endViewSession({ viewSessionUrl = '' }: Gateway): Promise<void> {
  await fetch(viewSessionUrl, { method: 'DELETE' })
}

/** The detail of a problem. */
async function reasonOf(response: Response): Promise<string> {
  const problem: unknown = await response.json().catch(() => undefined)
  const hasDetail = typeof problem === 'object' && problem !== null && 'detail' in problem
  return hasDetail ? String(problem.detail) : `status ${response.status}`
}
