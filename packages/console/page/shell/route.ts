import { signal } from '@preact/signals'

/** The views of the console, by the first part of the fragment: `#/sign?method=POST`. */
const VIEWS = ['report', 'month', 'runs', 'sign', 'diagnose', 'payments'] as const

export type View = (typeof VIEWS)[number]

/** Where the reader is: a view, and the parameters that a link sets. */
export interface Route {
  readonly view: View
  readonly parameters: URLSearchParams
}

/** The current route. The address's fragment holds it, so a link leads to it, and a server never sees it. */
export const route = signal(readRoute(location.hash))

addEventListener('hashchange', () => {
  route.value = readRoute(location.hash)
})

/** Returns the link to a view. */
export function linkTo(view: View, parameters?: URLSearchParams): string {
  const query = parameters?.toString() ?? ''
  return `#/${view}${query && `?${query}`}`
}

/** Opens a view. */
export function go(view: View, parameters?: URLSearchParams): void {
  location.hash = linkTo(view, parameters)
}

function readRoute(hash: string): Route {
  const [path = '', query] = hash.replace(/^#\/?/, '').split('?', 2)
  const view = VIEWS.find((name) => name === path) ?? 'report'
  return { view, parameters: new URLSearchParams(query) }
}
