import { Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { Output } from '../dependencies.ts'
import { printable } from '../print/print-outcome.ts'
import type { Part, SigningStep } from './signing-steps.ts'

type Style = Parameters<typeof styleText>[0]

const STYLES: Readonly<Record<NonNullable<Part['kind']>, Style>> = {
  name: 'cyan',
  value: 'yellow',
  method: 'magenta',
  url: 'blue',
  parameters: 'green',
  result: ['bold', 'green'],
}

/** Describes steps for people: in colour if the output is a terminal and `NO_COLOR` is not set. */
export function describeSteps(steps: readonly SigningStep[], output: Output): string {
  const paint = painterFor(output)
  return steps
    .map(({ title, sentence, clause, lines }, index) => {
      const values = lines.map((parts) => {
        const text = parts.map((part) => paint(part.kind && STYLES[part.kind], part.text)).join('')
        return parts.length === 0 ? '' : `   ${text}`
      })
      const head = `${paint('bold', `${index + 1}. ${title}`)} ${paint('dim', `(${clause})`)}`
      return [head, `   ${sentence}`, '', ...values, ''].map((line) => `${line}\n`).join('')
    })
    .join('')
}

function painterFor(output: Output): (style: Style | undefined, text: string) => string {
  return (style, text) => {
    const safe = printable(text)
    if (style === undefined || !(output instanceof Writable)) return safe
    return styleText(style, safe, { stream: output })
  }
}
