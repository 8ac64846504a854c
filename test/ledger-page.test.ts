import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LEDGER_PAGE, ledgerPage } from '../scripts/ledger-page.ts'

test('docs/ledger.md matches the data model (else: npm run docs:ledger)', () => {
  expect(readFileSync(join(import.meta.dirname, '..', LEDGER_PAGE), 'utf8')).toBe(ledgerPage())
})
