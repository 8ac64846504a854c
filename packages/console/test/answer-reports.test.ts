// @module-tag long

// Shows every report and saves every format. answer.test.ts does this with one report and one format.

import { test } from 'vitest'
import { EVERY_REPORT } from '../../gateway/test/kit/sandbox.ts'
import { expectSaved, expectTotals } from './kit/answer-proofs.ts'
import { serveConsole } from './kit/serve-console.ts'

const console = await serveConsole([24_000, EVERY_REPORT])
const { merchant, operator } = console.sandbox.logins

test.each(
  EVERY_REPORT.map((file) => file.replace('.yaml', '')).filter(
    (name) => name !== 'transactions-list',
  ),
)('totals of %s are the control totals of its manifest', async (reportIdentifier) => {
  // One report is for merchants only, and one has more totals of an operator than the page shows.
  const ofMerchants = ['order-reconciliation', 'settlement-details']
  const login = ofMerchants.includes(reportIdentifier) ? merchant : operator
  await expectTotals(console, login, reportIdentifier)
})

test.each(['XLSX', 'PDF', 'JSONL', 'PARQUET'])(
  'saves %s, whose digest is proved',
  async (format) => await expectSaved(console, operator, format),
)
