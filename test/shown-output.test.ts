import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeReceived } from '../packages/counterfoil/src/commands/report.ts'

const ROOT = join(import.meta.dirname, '..')

test.each([
  ['README.md', 'october.csv'],
  ['docs/client.md', 'may.csv'],
  ['docs/pictures/demo.svg', 'october.csv'],
])('%s shows what the command prints of a saved report', (page, file) => {
  const printed = describeReceived({
    file,
    rows: 3810,
    bytes: 526_600,
    replaced: 0,
    sha256: '7f395d9e2980c57fbf25aad35447678b88eebf6c061a1606797e9bd80b553156',
    proof: 'trailers',
    seconds: 0.34,
    runId: '5d1f1c1e-6a53-4c39-b1a4-5b1bbd1f2d0e',
    newestRow: '2026-10-31T20:23:12Z',
    contentType: 'text/csv; charset=UTF-8',
  })
  const shown = readFileSync(join(ROOT, page), 'utf8').replaceAll(/<[^>]*>/g, '')
  const lines = shown.split('\n').map((line) => withoutValues(line.trim()))
  expect(lines.join('\n')).toContain(withoutValues(printed.trim()))
})

/** Replaces numbers, ids and digests, which differ in each run. */
function withoutValues(text: string): string {
  return text
    .replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'ID')
    .replaceAll(/\b[\da-f]{64}\b/g, 'SHA256')
    .replaceAll(/\d[\d.,]*/g, '0')
}
