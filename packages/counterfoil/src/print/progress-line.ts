import { formatBytes } from './print-outcome.ts'
import type { Output } from '../dependencies.ts'

const INTERVAL_MS = 200
const CLEAR = '\r\u{1B}[K'

/** A line on a terminal that shows the progress of a download. */
export interface ProgressLine {
  update(bytes: number): void
  clear(): void
}

/** Creates a progress line. It prints nothing if the output is not a terminal. */
export function createProgressLine(
  terminal: Pick<Output, 'isTTY' | 'write'>,
  nowMs: () => number,
): ProgressLine {
  if (!terminal.isTTY) return { update() {}, clear() {} }
  const startMs = nowMs()
  let printedMs = startMs
  return {
    update(bytes) {
      const now = nowMs()
      if (now - printedMs < INTERVAL_MS) return
      printedMs = now
      const perSecond = (bytes / (now - startMs)) * 1000
      terminal.write(`${CLEAR}${formatBytes(bytes)}, ${formatBytes(perSecond)}/s`)
    },
    clear() {
      terminal.write(CLEAR)
    },
  }
}
