import { createInterface } from 'node:readline/promises'
import type { ImportStep } from '@counterfoil/ledger'
import { createProgress, type Progress } from '../observe/progress.ts'

type Cell = string | number | Date | undefined

/** Writes rows as lines of text with aligned columns. */
export function table(titles: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [titles, ...rows.map((row) => row.map(textOf))]
  const widths = titles.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function textOf(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString()
  return typeof cell === 'number' ? count(cell) : (cell ?? '-')
}

export function count(number: number): string {
  return number.toLocaleString('en-US')
}

export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** Prints what a command lists: for programs, or as a table. */
export function printList<Item>(
  json: boolean | undefined,
  items: readonly Item[],
  columns: Readonly<Record<string, (item: Item) => Cell>>,
): void {
  const cells = items.map((item) => Object.values(columns).map((cell) => cell(item)))
  console.log(json ? JSON.stringify(items, undefined, 2) : table(Object.keys(columns), cells))
}

/** Asks a question. The answer is empty without a terminal. */
export async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) return ''
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question(`${question}: `)).trim()
  } finally {
    terminal.close()
  }
}

export function showProgress(title: string, total: number, unit: string): Progress {
  return createProgress(process.stderr, { title, total, unit }, () => performance.now())
}

const STEPS: Readonly<Record<ImportStep, readonly [title: string, unit: string]>> = {
  reading: ['Reading', 'bytes'],
  checking: ['Checking', 'rows'],
  comparing: ['Comparing', 'rows'],
  writing: ['Writing', 'rows'],
}

/** Shows the progress of an import, one step after the other. */
export function showSteps() {
  let shown: { readonly step: ImportStep; readonly progress: Progress } | undefined
  return {
    update: (step: ImportStep, done: number, total: number): void => {
      if (shown?.step !== step) {
        shown?.progress.end()
        const [title, unit] = STEPS[step]
        shown = { step, progress: showProgress(title, total, unit) }
      }
      shown.progress.update(done, total)
    },
    end: () => shown?.progress.end(),
  }
}
