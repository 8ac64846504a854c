// A period of the real gateway in days, against the same period in one request.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CounterfoilClient } from '@counterfoil/client'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([
  24_000,
  ['transactions-list.yaml', 'daily-totals.yaml'],
])
const { login, controlKey } = sandbox.logins.merchant
const client = new CounterfoilClient({ endpoint: gateway.reportUrl, login, controlKey })

// The clocks of Riga change on 2026-10-25. The ends are no midnights.
const PERIOD = {
  dateFrom: '2026-10-20 13:30',
  dateTo: '2026-10-29 09:00:00',
  timezone: 'Europe/Riga',
  columns: ['Transaction_id', 'Created_date', 'Amount'],
}

test('has the rows of the whole period, each once', async () => {
  const [days, whole] = [join(sandbox.folder, 'days.csv'), join(sandbox.folder, 'whole.csv')]
  const joined = await client.download('transactions-list', PERIOD, days, { split: 'day' })
  const { rows } = await client.download('transactions-list', PERIOD, whole)
  expect(joined).toMatchObject({ rows, proof: 'trailers' })
  expect(rows).toBeGreaterThan(50)
  const read = (file: string) => parse(readFileSync(file)).map(String)
  expect(read(days).toSorted()).toEqual(read(whole).toSorted())
  expect(read(days)[0]).toBe('Transaction_id,Created_date,Amount')
})

test('refuses a report whose rows stand for several transactions', async () => {
  const target = join(sandbox.folder, 'totals.csv')
  const saving = client.download('daily-totals', PERIOD, target, { split: 'day' })
  await expect(saving).rejects.toMatchObject({ code: 'invalid-settings' })
})
