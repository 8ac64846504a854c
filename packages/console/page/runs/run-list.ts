import type { Run } from '@counterfoil/client'
import { signal } from '@preact/signals'
import { session } from '../session/session.ts'

/** The runs of the login that have been listed so far, the newest first. */
export const runs = signal<readonly Run[]>([])

/** The cursor of the next page. Undefined after the last one. */
export const next = signal<string | undefined>(undefined)

/** Whether a page is on its way. */
export const isLoading = signal(false)

/** Why the last page did not arrive. */
export const fault = signal<unknown>(undefined)

const PAGE_RUNS = 25

/** Lists the newest runs again. */
export async function listRuns(): Promise<void> {
  runs.value = []
  next.value = undefined
  await listMore()
}

/** Lists the next page of runs, below those that are there. */
export async function listMore(): Promise<void> {
  const { client } = session.value ?? {}
  if (!client) return
  isLoading.value = true
  fault.value = undefined
  try {
    const page = await client.runs({ limit: PAGE_RUNS, before: next.value })
    runs.value = [...runs.value, ...page.runs]
    next.value = page.next
  } catch (error) {
    fault.value = error
  } finally {
    isLoading.value = false
  }
}
