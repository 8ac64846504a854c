import { signal } from '@preact/signals'

const VIEWS = ['report', 'month', 'runs', 'sign', 'diagnose', 'payments'] as const

export type View = (typeof VIEWS)[number]

export const view = signal(readView(location.hash))

addEventListener('hashchange', () => {
  view.value = readView(location.hash)
})

export function linkTo(name: View): string {
  return `#/${name}`
}

export function go(name: View): void {
  location.hash = linkTo(name)
}

function readView(hash: string): View {
  return VIEWS.find((name) => hash === linkTo(name)) ?? 'report'
}
