import { Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { SigningPart, SigningStep } from '@counterfoil/signing'
import type { Output } from '../dependencies.ts'
import { printable } from '../print/print-outcome.ts'

type Style = Parameters<typeof styleText>[0]

const STYLES: Readonly<Partial<Record<SigningPart['kind'] & string, Style>>> = {
  name: 'cyan',
  value: 'yellow',
  method: 'magenta',
  url: 'blue',
  parameters: 'green',
  result: ['bold', 'green'],
}

/** Spaces between two cells of a row. */
const CELL_GAP = 2

/** Describes steps for people: in colour if the output is a terminal and `NO_COLOR` is not set. */
export function describeSteps(steps: readonly SigningStep[], output: Output): string {
  const paint = painterFor(output)
  return steps
    .map(({ title, sentence, clause, lines }, index) => {
      const values = alignRows(lines).map((parts) => {
        const text = parts.map((part) => paint(part.kind && STYLES[part.kind], part.text)).join('')
        return parts.length === 0 ? '' : `   ${text}`
      })
      const head = `${paint('bold', `${index + 1}. ${title}`)} ${paint('dim', `(${clause})`)}`
      return [head, `   ${sentence}`, '', ...values, ''].map((line) => `${line}\n`).join('')
    })
    .join('')
}

/** Pads the cells of the lines that begin with a label, so that they are the rows of a table. */
function alignRows(lines: SigningStep['lines']): SigningStep['lines'] {
  const rows = lines.filter(isRow)
  const widths = [0, 1].map(
    (column) => Math.max(0, ...rows.map((row) => row[column]?.text.length ?? 0)) + CELL_GAP,
  )
  return lines.map((line) => {
    if (!isRow(line)) return line
    return line.map((part, column) => {
      const isLast = column === line.length - 1
      return isLast ? part : { ...part, text: part.text.padEnd(widths[column] ?? 0) }
    })
  })
}

function isRow([first]: readonly SigningPart[]): boolean {
  return first?.kind === 'label'
}

function painterFor(output: Output): (style: Style | undefined, text: string) => string {
  return (style, text) => {
    const safe = printable(text)
    if (style === undefined || !(output instanceof Writable)) return safe
    return styleText(style, safe, { stream: output })
  }
}
