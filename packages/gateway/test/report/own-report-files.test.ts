import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, parameters } from '../kit/ask.ts'
import { runCommand } from '../kit/child-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { askReport } from '../oracles/reports-kit.ts'

const RATIO = 'chargeback-ratio.yaml'
const SHIPPED = "('', '1970-01-01', '0.0075', '0.01', '10')"
const EDITED = `${SHIPPED}, ('', '2026-09-15', '0.3', '0.6', '1'), ('BETA', '2026-10-01', '0.4', '0.8', '1')`

// A test follows docs/templates.md as a new user does.
const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/templates.md'), 'utf8')
const [, REPORT = ''] = /```yaml\n(.*?)```/s.exec(PAGE) ?? []
const [, NAME = ''] = /Save this as\s+`(.*?)\.yaml`/.exec(PAGE) ?? []
const [, FIRST_LINE = ''] = /The first line is\n\n```\n(.*?)\n```/s.exec(PAGE) ?? []

const { sandbox, gateway } = await serveSandbox([24_000, [RATIO]], ({ folder, reports }) => {
  const file = join(reports, RATIO)
  writeFileSync(file, readFileSync(file, 'utf8').replace(SHIPPED, EDITED))
  mkdirSync(join(folder, 'eleventh'))
  for (const place of [reports, join(folder, 'eleventh')]) {
    writeFileSync(join(place, `${NAME}.yaml`), REPORT)
  }
  return {}
})
const { operator, merchant } = sandbox.logins

test('checks and serves the report of docs/templates.md', { tags: ['long'] }, async () => {
  const command = runCommand(['check', join(sandbox.folder, 'eleventh')])
  expect(await command.ended).toMatchObject({ code: 0 })
  expect(command.stderr()).toBe('')
  expect(command.stdout()).toContain(NAME)
  const askFrom = async (dateFrom: string, login = merchant, configuration = {}) => {
    const inputs = { dateFrom, dateTo: '2026-04-03', timezone: 'Europe/Berlin' }
    const request = { reportIdentifier: NAME, ...parameters(inputs, configuration) }
    return (await ask(gateway, login, request)).text.trimEnd().split('\r\n')
  }
  const [first, ...rows] = await askFrom('2026-01-01')
  expect(first).toBe(FIRST_LINE)
  expect(rows.length).toBeGreaterThan(5)
  for (const row of rows) expect(Number(row.split('","')[2])).toBeGreaterThanOrEqual(100)
  expect((await askFrom('2026-01-01', operator))[0]).toBe(`${FIRST_LINE},"Merchant"`)
  const totals = await askFrom('2026-01-01', merchant, { totals: 'only' })
  expect(totals[0]).toBe('"Currency","Rows","Amount"')
  expect((await askFrom('2025-12-31')).join()).toContain('at most 92 days, got 93')
})

const columns = ['Merchant_id', 'Card_brand', 'Month', 'Warning_ratio', 'Excessive_ratio']

async function thresholds(login: typeof operator, change = {}) {
  const inputs = { dateFrom: '2026-09-01', dateTo: '2026-11-01', ...change }
  return (await askReport({ gateway }, login, 'chargeback-ratio', { inputs, columns })).rows
}

test('takes the thresholds of the programme that is valid in the month for the card brand', async () => {
  const known = (await thresholds(operator)).map((row) => {
    const isBeta = row['Card_brand'] === 'BETA' ? 'BETA' : 'other'
    return [row['Month'], isBeta, row['Warning_ratio'], row['Excessive_ratio']].join(' ')
  })
  expect([...new Set(known)].toSorted()).toEqual([
    '2026-09 BETA 0.0075 0.01',
    '2026-09 other 0.0075 0.01',
    '2026-10 BETA 0.4 0.8',
    '2026-10 other 0.3 0.6',
  ])
  const own = await thresholds(operator, { warningRatio: '0.1' })
  expect(new Set(own.map((row) => row['Warning_ratio']))).toEqual(new Set(['0.1']))
})

test('shows a merchant its own ratios', async () => {
  const rows = await thresholds(merchant)
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.filter((row) => !merchant.sees.includes(row['Merchant_id'] ?? ''))).toEqual([])
})
