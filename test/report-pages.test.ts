import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reportPages, writtenPages } from '../scripts/report-pages.ts'

const ROOT = join(import.meta.dirname, '..')
const pages = reportPages(ROOT)
const written = writtenPages(ROOT)

test('there is one page for each report, an index, and no other page', () => {
  expect(pages.size).toBeGreaterThan(1)
  expect([...written.keys()].toSorted()).toEqual([...pages.keys()].toSorted())
})

test.each([...pages])('%s matches its report file (else: npm run docs:reports)', (name, text) => {
  expect(written.get(name)).toBe(text)
})
