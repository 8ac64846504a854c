import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MISTAKES } from '../packages/signing/src/index.ts'
import { generatedPages, outdatedPages } from '../scripts/docs.ts'

const ROOT = join(import.meta.dirname, '..')
const pages = generatedPages(ROOT)

test('every report has a page, and no other page is beside them', () => {
  const reports = [...pages.keys()].filter((file) => file.startsWith('docs/reports/'))
  expect(reports.length).toBeGreaterThan(2)
  expect(outdatedPages(ROOT, pages)).toEqual([])
})

test.each([...pages])('%s matches its sources (else: npm run docs)', (file, text) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).toBe(text)
})

test('each mistake has a code of its own, and is one sentence, one sentence for the fix, and a clause', () => {
  expect(new Set(MISTAKES.map(({ code }) => code)).size).toBe(MISTAKES.length)
  for (const { code, sentence, fix, clause } of MISTAKES) {
    expect(code).toMatch(/^[a-z\d]+(?:-[a-z\d]+)*$/)
    expect(sentence).toMatch(/^[A-Z].*\.$/)
    expect(fix).toMatch(/^[A-Z].*\.$/)
    expect(clause).toMatch(/^(?:RFC \d+, |specification, |OAuth Request Body Hash 1\.0, |docs\/)\S/)
  }
})
