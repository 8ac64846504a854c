import type { ConformanceReport, Result } from './check.ts'

/** Writes the results of a run as JUnit XML: a test suite for each subject. */
export function writeJunit({
  checks,
  passed,
  failed,
  skipped,
  seconds,
}: ConformanceReport): string {
  const subjects = Map.groupBy(checks, ({ subject }) => subject)
  const suites = [...subjects].map(([subject, results]) => suiteOf(subject, results))
  const counts = { tests: passed + failed + skipped, failures: failed, skipped, time: seconds }
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes({ name: 'counterfoil conformance', ...counts })}>\n${suites.join('')}</testsuites>\n`
}

function suiteOf(name: string, results: readonly Result[]): string {
  const count = (outcome: Result['outcome']) => {
    return results.filter((result) => result.outcome === outcome).length
  }
  const milliseconds = results.reduce((sum, result) => sum + result.milliseconds, 0)
  const counts = {
    tests: results.length,
    failures: count('failed'),
    errors: 0,
    skipped: count('skipped'),
    time: milliseconds / 1000,
  }
  const cases = results.map(caseOf).join('')
  return `  <testsuite${attributes({ name, ...counts })}>\n${cases}  </testsuite>\n`
}

function caseOf(result: Result): string {
  const { id, subject, title, milliseconds, outcome, reason = '', expected = '', got = '' } = result
  const start = `    <testcase${attributes({ classname: subject, name: `${id}: ${title}`, time: milliseconds / 1000 })}`
  if (outcome === 'passed') return `${start}/>\n`
  if (outcome === 'skipped')
    return `${start}><skipped${attributes({ message: reason })}/></testcase>\n`
  const text = [`clause: ${result.clause}`, `level: ${result.level}`, `sent: ${result.sent}`]
  const message = `expected ${expected}, got ${got}`
  return `${start}><failure${attributes({ message, type: result.level })}>${escaped(text.join('\n'))}</failure></testcase>\n`
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('')
}

/** Escapes a text for XML 1.0, which has no control characters. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
}
