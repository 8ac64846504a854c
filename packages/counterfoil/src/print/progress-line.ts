import { countOf, formatBytes } from './text.ts'
import type { Output } from '../command.ts'

const INTERVAL_MS = 200
const CLEAR = '\r\u{1B}[K'

/** A line on a terminal that shows the progress of a download. */
interface ProgressLine {
  /** @param rows undefined if nobody counts them */
  update(bytes: number, rows?: number): void
  clear(): void
}

/** Creates a progress line. It prints nothing if the output is not a terminal. */
export function createProgressLine(
  terminal: Pick<Output, 'isTTY' | 'write'>,
  nowMs = () => performance.now(),
): ProgressLine {
  if (!terminal.isTTY) return { update() {}, clear() {} }
  const startMs = nowMs()
  let printedMs = startMs
  return {
    update(bytes, rows) {
      const now = nowMs()
      if (now - printedMs < INTERVAL_MS) return
      printedMs = now
      const perSecond = (bytes / (now - startMs)) * 1000
      const counted = rows === undefined ? '' : `${countOf(rows, 'row', 'rows')}, `
      terminal.write(`${CLEAR}${counted}${formatBytes(bytes)}, ${formatBytes(perSecond)}/s`)
    },
    clear() {
      terminal.write(CLEAR)
    },
  }
}
