import { useSignal } from '@preact/signals'

/** Runs what a person starts, and keeps whether it runs and why it failed. */
export function useAction() {
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
