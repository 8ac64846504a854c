import type { ImportStep } from '@counterfoil/ledger'
import { createProgress, type Progress } from '../observe/progress.ts'

const STEPS: Readonly<Record<ImportStep, { readonly title: string; readonly unit: string }>> = {
  reading: { title: 'Reading', unit: 'bytes' },
  checking: { title: 'Checking', unit: 'rows' },
  comparing: { title: 'Comparing', unit: 'rows' },
  writing: { title: 'Writing', unit: 'rows' },
}

/** Shows the progress of one step after the other. */
export function showSteps(): {
  readonly update: (step: ImportStep, done: number, total: number) => void
  readonly end: () => void
} {
  let shown: { readonly step: ImportStep; readonly progress: Progress } | undefined
  return {
    update: (step, done, total) => {
      if (shown?.step !== step) {
        shown?.progress.end()
        const work = { ...STEPS[step], total }
        const progress = createProgress(process.stderr, work, performance.now.bind(performance))
        shown = { step, progress }
      }
      shown.progress.update(done, total)
    },
    end: () => shown?.progress.end(),
  }
}
