import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ErrorNote } from './error-note.tsx'

/** Returns a view whose code the browser loads when somebody opens it, and not with the page. */
export function lazyView(load: () => Promise<ComponentType>): ComponentType {
  const loaded = signal<{ readonly View?: ComponentType; readonly fault?: unknown }>({})
  return function LazyView() {
    useEffect(() => {
      void load().then(
        (View) => (loaded.value = { View }),
        (fault: unknown) => (loaded.value = { fault }),
      )
    }, [])
    const { View, fault } = loaded.value
    if (fault !== undefined) return <ErrorNote error={fault} />
    return View ? <View /> : <p class="quiet">{texts.shell.loading}</p>
  }
}
