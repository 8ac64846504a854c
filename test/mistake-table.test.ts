import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MISTAKES } from '../packages/signing/src/index.ts'
import { mistakeTable } from '../scripts/mistake-table.ts'

test('docs/mistakes.md lists every mistake that is no refusal code, and each mistake has a code of its own', () => {
  const { written, made } = mistakeTable(join(import.meta.dirname, '..'))
  // If this fails, run "npm run docs:mistakes".
  expect(written).toBe(made)
  expect(new Set(MISTAKES.map(({ code }) => code)).size).toBe(MISTAKES.length)
})

test('every mistake is one sentence, one sentence for the fix, and a clause', () => {
  for (const { code, sentence, fix, clause } of MISTAKES) {
    expect(code).toMatch(/^[a-z\d]+(?:-[a-z\d]+)*$/)
    expect(sentence).toMatch(/^[A-Z].*\.$/)
    expect(fix).toMatch(/^[A-Z].*\.$/)
    expect(clause).toMatch(/^(?:RFC \d+, |specification, |OAuth Request Body Hash 1\.0, |docs\/)\S/)
  }
})
