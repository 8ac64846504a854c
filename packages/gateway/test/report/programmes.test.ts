import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { askReport } from '../oracles/reports-kit.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const REPORT = 'chargeback-ratio.yaml'
const SHIPPED = "('', '1970-01-01', '0.0075', '0.01', '10')"
const EDITED = `${SHIPPED}, ('', '2026-09-15', '0.3', '0.6', '1'), ('BETA', '2026-10-01', '0.4', '0.8', '1')`

const { sandbox, gateway } = await serveSandbox([24_000, [REPORT]], ({ reports }) => {
  const file = join(reports, REPORT)
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(SHIPPED, EDITED))
  return {}
})

const columns = ['Merchant_id', 'Card_brand', 'Month', 'Warning_ratio', 'Excessive_ratio']

async function thresholds(role: 'operator' | 'merchant', inputs = {}) {
  const wanted = {
    inputs: { dateFrom: '2026-09-01', dateTo: '2026-11-01', ...inputs },
    columns,
  }
  return (await askReport({ gateway }, sandbox.logins[role], 'chargeback-ratio', wanted)).rows
}

test('takes the thresholds of the programme that is valid in the month for the card brand', async () => {
  const rows = await thresholds('operator')
  const known = rows.map((row) => {
    const isBeta = row['Card_brand'] === 'BETA' ? 'BETA' : 'other'
    return [row['Month'], isBeta, row['Warning_ratio'], row['Excessive_ratio']].join(' ')
  })
  expect([...new Set(known)].toSorted()).toEqual([
    '2026-09 BETA 0.0075 0.01',
    '2026-09 other 0.0075 0.01',
    '2026-10 BETA 0.4 0.8',
    '2026-10 other 0.3 0.6',
  ])
  const own = await thresholds('operator', { warningRatio: '0.1' })
  expect(new Set(own.map((row) => row['Warning_ratio']))).toEqual(new Set(['0.1']))
})

test('shows a merchant its own ratios', async () => {
  const rows = await thresholds('merchant')
  const { sees } = sandbox.logins.merchant
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.filter((row) => !sees.includes(row['Merchant_id'] ?? ''))).toEqual([])
})
