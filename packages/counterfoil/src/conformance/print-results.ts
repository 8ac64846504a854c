import type { ConformanceReport, Result } from './run-checks.ts'
import { printable, table } from '../print/text.ts'

const WIDTH = 100
const OUTCOMES = { passed: 'passed', failed: 'FAILED', skipped: 'skipped' } as const

/**
 * Prints the results of a run for people, in lines of at most 100 characters. After a run that ended early, it leaves
 * out the checks that did not run.
 */
export function printResults(report: ConformanceReport): string {
  const { passed, failed, skipped, requests, seconds, endedBy } = report
  const checks = report.checks.filter(({ reason = '' }) => reason !== endedBy)
  const parts = [...Map.groupBy(checks, ({ subject }) => subject)].map(([subject, results]) => {
    return `${subject}\n${results.map(printResult).join('')}\n`
  })
  const ended = endedBy === undefined ? '' : `The checks ended early: ${endedBy}.\n`
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`
  const sent = `${requests} ${requests === 1 ? 'request' : 'requests'}`
  return printable(`${parts.join('')}${ended}${counts}; ${sent} in ${seconds} s.\n`)
}

function printResult(result: Result): string {
  const { id, title, outcome, level, clause, sent, expected = '', got = '', reason = '' } = result
  const cells = [OUTCOMES[outcome].padEnd(8), id.padEnd(32), title]
  const failure = Object.entries({ level, clause, sent, expected, got })
  const details = { passed: [], failed: failure, skipped: [['why', reason]] }[outcome]
  // Words that are longer than a line break.
  const rows = details.map(([name = '', text = '']) => [
    name,
    text.replaceAll(/\S{70}(?=\S)/g, '$& '),
  ])
  return table([cells], { indent: 2, width: WIDTH }) + table(rows, { indent: 12, width: WIDTH })
}

/** Writes the results of a run as JUnit XML: a test suite for each subject. */
export function writeJunit({ checks, seconds, ...report }: ConformanceReport): string {
  const { failed: failures, skipped } = report
  const suites = [...Map.groupBy(checks, ({ subject }) => subject)].map(([name, results]) => {
    const count = (outcome: string) => results.filter((one) => one.outcome === outcome).length
    const time = results.reduce((sum, result) => sum + result.milliseconds, 0) / 1000
    const counts = { failures: count('failed'), errors: 0, skipped: count('skipped'), time }
    return element('testsuite', { name, tests: results.length, ...counts }, results.map(testCase))
  })
  const counts = { tests: checks.length, failures, skipped, time: seconds }
  const root = element('testsuites', { name: 'counterfoil conformance', ...counts }, suites)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`
}

function testCase(result: Result): string {
  const { id, subject, title, level, outcome, milliseconds, expected, got, reason = '' } = result
  const texts = `clause: ${result.clause}\nlevel: ${level}\nsent: ${result.sent}`
  const message = `expected ${expected}, got ${got}`
  const inside = {
    passed: [],
    failed: [element('failure', { message, type: level }, [escaped(texts)])],
    skipped: [element('skipped', { message: reason })],
  }[outcome]
  const name = `${id}: ${title}`
  return element('testcase', { classname: subject, name, time: milliseconds / 1000 }, inside)
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  inside: readonly string[] = [],
): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(String(value))}"`,
  )
  return `<${name}${written.join('')}>${inside.join('')}</${name}>\n`
}

/** Escapes a text for XML 1.0, which has no control characters. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"\n]/g, (character) => `&#${character.charCodeAt(0)};`)
}
