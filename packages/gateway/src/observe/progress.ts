/** Shows the progress of long work on a terminal or in a log file. */
export interface Progress {
  /** Sets how many units are done, and the total if it is known only now. */
  readonly update: (done: number, total?: number) => void
  /** Shows the final state. Call it once. */
  readonly end: () => void
}

interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const DRAW_EACH_MS = 100
const LINE_EACH_MS = 2_000

/** Creates a progress display with rate and time left: one line on a terminal, elsewhere a line every 2 seconds. */
export function createProgress(
  output: Output,
  work: { readonly title: string; readonly total: number; readonly unit: string },
  nowMs: () => number,
): Progress {
  const startedMs = nowMs()
  let shownMs = startedMs
  let { total } = work
  let done = 0
  const show = (isLast: boolean): void => {
    shownMs = nowMs()
    const seconds = (shownMs - startedMs) / 1000
    const rate = seconds > 0 ? done / seconds : 0
    const left = rate > 0 ? `, ${formatCount((total - done) / rate)} s left` : ''
    const time = isLast ? `, ${seconds.toFixed(1)} s` : left
    const text = `${formatCount(done)} of ${formatCount(total)} ${work.unit}, ${formatCount(rate)}/s`
    const line = `${work.title}: ${text}${time}`
    // A line that wraps could not be overwritten.
    const room = (output.columns ?? Number.POSITIVE_INFINITY) - 1
    output.write(output.isTTY ? `\r\u001b[K${line.slice(0, room)}` : `${line}\n`)
  }
  return {
    update: (doneByNow, totalByNow = total) => {
      done = doneByNow
      total = totalByNow
      if (nowMs() - shownMs >= (output.isTTY ? DRAW_EACH_MS : LINE_EACH_MS)) show(false)
    },
    end: () => {
      show(true)
      if (output.isTTY) output.write('\n')
    },
  }
}

function formatCount(value: number): string {
  return Math.max(0, Math.ceil(value)).toLocaleString('en-US')
}
