import { countOf, formatBytes } from './text.ts'
import type { Output } from '../command.ts'

const INTERVAL_MS = 200
const CLEAR = '\r\u{1B}[K'

/** Creates a line that shows the progress of a download. It prints nothing if the output is not a terminal. */
export function createProgressLine(
  terminal: Pick<Output, 'isTTY' | 'write'>,
  nowMs = () => performance.now(),
) {
  const startMs = nowMs()
  let printedMs = startMs
  return {
    update: (bytes: number, rows?: number) => {
      const now = nowMs()
      if (!terminal.isTTY || now - printedMs < INTERVAL_MS) return
      printedMs = now
      const perSecond = (bytes / (now - startMs)) * 1000
      const counted = rows === undefined ? '' : `${countOf(rows, 'row', 'rows')}, `
      terminal.write(`${CLEAR}${counted}${formatBytes(bytes)}, ${formatBytes(perSecond)}/s`)
    },
    clear: () => {
      if (terminal.isTTY) terminal.write(CLEAR)
    },
  }
}
