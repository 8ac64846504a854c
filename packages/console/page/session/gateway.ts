import type { Discovery } from '@counterfoil/protocol'
import { signal } from '@preact/signals'

/** What the gateway says of itself. */
export type Gateway = Discovery

/** The gateway that served this page. Undefined until it has answered. */
export const gateway = signal<Gateway | undefined>(undefined)

/** Asks the gateway that served this page what it is. */
export async function readGateway(): Promise<void> {
  const response = await fetch('/.well-known/counterfoil', { cache: 'no-store' })
  if (!response.ok) throw new Error(`status ${response.status}`)
  // The gateway that served this page is trusted.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  gateway.value = (await response.json()) as Gateway
}

/** The page of the console at the address that callers sign for, if this page has another address. */
export function properAddress({ reportUrl }: Gateway): string | undefined {
  const { origin } = new URL(reportUrl)
  return origin === location.origin ? undefined : origin + location.pathname
}
