import { useSignal } from '@preact/signals'

/** What a person has started, and what became of it. */
interface Action {
  readonly isBusy: boolean
  /** What the last run threw. */
  readonly fault: unknown
  readonly run: (work: () => Promise<void>) => Promise<void>
}

/** Runs what a person starts, and keeps whether it runs and why it failed. */
export function useAction(): Action {
  const isBusy = useSignal(false)
  const fault = useSignal<unknown>(undefined)
  const run = async (work: () => Promise<void>) => {
    isBusy.value = true
    fault.value = undefined
    try {
      await work()
    } catch (error) {
      fault.value = error
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy: isBusy.value, fault: fault.value, run }
}
