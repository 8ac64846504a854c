import type { ReportRequest } from '@counterfoil/protocol'
import { beforeAll, expect, test } from 'vitest'
import { type Answer, ask, parameters, problemIn } from '../kit/ask.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([0])
beforeAll(async () => {
  await insertRows(gateway.engine, [
    {
      id: 1_000_010_000_000_000_123n,
      createdAt: '2026-10-31 22:10:59.000',
      orderId: '0012',
      amount: '68.11',
      description: 'Müller; 5,00 €',
    },
    {
      id: 1_000_010_000_000_000_124n,
      createdAt: '2026-10-31 22:11:00.000',
      orderId: 'ORD-"1"',
      amount: '-1234567.5',
      description: null,
    },
  ])
})

async function askAs(
  configuration: Readonly<Record<string, string>>,
  more: Partial<ReportRequest> = {},
): Promise<Answer> {
  return await ask(gateway, sandbox.logins.merchant, {
    reportIdentifier: 'transactions-list',
    configurationReportParameters: parameters(configuration).inputReportParameters,
    outputReportParameters: [
      'Transaction_id',
      'Merchant_OID',
      'Created_date',
      'Amount',
      'Order_description',
    ],
    ...more,
  })
}

test('de-DE has semicolons, commas before fractions, days with dots, a mark and ids as texts', async () => {
  const { text } = await askAs({ spreadsheet: 'de-DE' })
  expect(text.split('\r\n')).toEqual([
    '\ufeff"Transaction_id";"Merchant_OID";"Created_date";"Amount";"Order_description"',
    '"=""1000010000000000123""";"=""0012""";"31.10.2026 22:10:59";"68,110";"Müller; 5,00 €"',
    '"=""1000010000000000124""";"=""ORD-""""1""""""";"31.10.2026 22:11:00";"-1234567,500";""',
    '',
  ])
})

test('en-US has commas, points before fractions, ISO days, a mark and ids as texts', async () => {
  const { text } = await askAs({ spreadsheet: 'en-US' })
  expect(text.split('\r\n')).toEqual([
    '\ufeff"Transaction_id","Merchant_OID","Created_date","Amount","Order_description"',
    '"=""1000010000000000123""","=""0012""","2026-10-31 22:10:59","68.110","Müller; 5,00 €"',
    '"=""1000010000000000124""","=""ORD-""""1""""""","2026-10-31 22:11:00","-1234567.500",""',
    '',
  ])
})

test('a parameter that the request names wins, also with its default value', async () => {
  const own = { decimalSeparator: '.', dateFormat: 'mixed', ids: 'plain', bom: 'off' }
  const named = await askAs({ spreadsheet: 'de-DE', ...own }, { reportCsvDelimiter: ',' })
  expect(named.text).toBe((await askAs({})).text)
  const decimals = await askAs({ spreadsheet: 'de-DE', decimals: '2' })
  expect(decimals.text).toContain('"68,11";')
})

test('lists the locales when a request names another one', async () => {
  const answer = await askAs({ spreadsheet: 'de' })
  expect(answer.status).toBe(422)
  expect(problemIn(answer).errors?.[0]).toEqual({
    pointer: '/configurationReportParameters/0/value',
    expected: expect.stringMatching(/^for spreadsheet one of be-BY, .*de-DE/),
  })
})
