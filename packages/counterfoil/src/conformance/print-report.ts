import { table } from '../print/table.ts'
import { printable } from '../print/print-outcome.ts'
import type { ConformanceReport, Result } from './check.ts'

const WIDTH = 100
const OUTCOMES = { passed: 'passed', failed: 'FAILED', skipped: 'skipped' } as const

/**
 * Prints the results of a run for people, in lines of at most 100 characters. After a run that ended early, it leaves
 * out the checks that did not run.
 */
export function printReport(report: ConformanceReport): string {
  const { passed, failed, skipped, requests, seconds, endedBy } = report
  const checks = report.checks.filter(({ reason = '' }) => reason !== endedBy)
  const subjects = [...new Set(checks.map(({ subject }) => subject))]
  const parts = subjects.map((subject) => {
    return `${subject}\n${checks
      .filter((check) => check.subject === subject)
      .map(printResult)
      .join('')}`
  })
  const ended = endedBy === undefined ? '' : `The checks ended early: ${endedBy}.\n`
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`
  return printable(
    `${parts.join('\n')}\n${ended}${counts}; ${requests} ${requests === 1 ? 'request' : 'requests'} in ${seconds} s.\n`,
  )
}

function printResult(result: Result): string {
  const { id, title, outcome, level, clause, sent, expected, got, reason } = result
  const line = table([[OUTCOMES[outcome].padEnd(8), id.padEnd(32), title]], {
    indent: 2,
    width: WIDTH,
  })
  const details: readonly (readonly [name: string, text: string | undefined])[] =
    outcome === 'failed'
      ? [
          ['level', level],
          ['clause', clause],
          ['sent', sent],
          ['expected', expected],
          ['got', got],
        ]
      : [['why', outcome === 'skipped' ? reason : undefined]]
  const rows = details.flatMap(([name, text]) =>
    text === undefined ? [] : [[name, breakable(text)]],
  )
  return line + table(rows, { indent: 12, width: WIDTH })
}

/** Breaks words that are longer than a line. */
function breakable(text: string): string {
  return text.replaceAll(/\S{70}(?=\S)/g, '$& ')
}
