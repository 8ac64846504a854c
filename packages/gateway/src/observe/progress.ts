/** Shows the progress of long work on a terminal or in a log file. */
export interface Progress {
  /** Sets how many units are done, and the total if it is known only now. */
  readonly update: (done: number, total?: number) => void
  /** Shows the final state. Call it once. */
  readonly end: () => void
}

interface Output {
  readonly isTTY?: boolean
  /** The width of the terminal. */
  readonly columns?: number
  write(text: string): unknown
}

const BAR_CELLS = 24
const DRAW_EACH_MS = 100
const LINE_EACH_MS = 2_000

/** Creates a progress display: a bar with rate and time left on a terminal, elsewhere a plain line every 2 seconds. */
export function createProgress(
  output: Output,
  work: { readonly title: string; readonly total: number; readonly unit: string },
  nowMs: () => number,
): Progress {
  const { title, unit } = work
  let { total } = work
  const startedMs = nowMs()
  let shownMs = output.isTTY ? Number.NEGATIVE_INFINITY : startedMs
  let done = 0

  const show = (isLast: boolean) => {
    const seconds = (nowMs() - startedMs) / 1000
    const rate = seconds > 0 ? done / seconds : 0
    const share = total > 0 ? Math.min(done / total, 1) : 1
    const time = isLast ? `, ${seconds.toFixed(1)} s` : timeLeft(total - done, rate)
    const text = `${formatCount(done)} of ${formatCount(total)} ${unit}, ${formatCount(rate)}/s${time}`
    const line = output.isTTY ? drawn(`${title} `, bar(share), ` ${text}`) : `${title}: ${text}\n`
    output.write(line)
    shownMs = nowMs()
  }

  /** Fits the line into the terminal, because a wrapped line cannot be overwritten. Drops the bar first. */
  const drawn = (before: string, cells: string, after: string): string => {
    const room = (output.columns ?? Number.POSITIVE_INFINITY) - 1
    const full = before + cells + after
    const text = full.length <= room ? full : (before.trimEnd() + after).slice(0, room)
    return `\r\u001b[K${text}`
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

function timeLeft(unitsLeft: number, rate: number): string {
  return rate > 0 ? `, ${formatCount(unitsLeft / rate)} s left` : ''
}

function bar(share: number): string {
  const filled = Math.round(share * BAR_CELLS)
  return '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled)
}

function formatCount(value: number): string {
  return Math.max(0, Math.ceil(value)).toLocaleString('en-US')
}
