import { signal } from '@preact/signals'

/** The views of the console, by the fragment of the address: `#/sign`. */
const VIEWS = ['report', 'month', 'runs', 'sign', 'diagnose', 'payments'] as const

export type View = (typeof VIEWS)[number]

/** The current view. The address's fragment names it, so a link leads to it. */
export const view = signal(readView(location.hash))

addEventListener('hashchange', () => {
  view.value = readView(location.hash)
})

/** Returns the link to a view. */
export function linkTo(name: View): string {
  return `#/${name}`
}

/** Opens a view. */
export function go(name: View): void {
  location.hash = linkTo(name)
}

function readView(hash: string): View {
  return VIEWS.find((name) => hash === linkTo(name)) ?? 'report'
}
