// @module-tag long

import { join } from 'node:path'
import { FILTER_NAMES, type FilterName } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { readYaml } from '../../../common/src/read-yaml.ts'
import type { Role } from '../../../common/src/roles.ts'
import {
  filteredCurrency,
  type Template,
  templateSchema,
} from '../../../templates/src/template/template.ts'
import { latest } from '../oracles/ledger-sql.ts'
import { FILTERED_COLUMNS } from '../kit/filtered-columns.ts'
import { askReport, serveLedger, type Wanted } from '../oracles/reports-kit.ts'
import { EVERY_REPORT } from '../kit/sandbox.ts'

type Filters = NonNullable<Wanted['filters']>

const PERIOD = { dateFrom: '2026-07-01', dateTo: '2026-11-01' }
const REPORTS = join(import.meta.dirname, '../../../../reports')
const TEMPLATES = EVERY_REPORT.map((file): Template => {
  return readYaml(join(REPORTS, file), templateSchema, 'template').value
})

// A merchant goes to another manager, and the gates of some endpoints change.
const CHANGES = [
  `INSERT INTO merchants SELECT * REPLACE (toInt32(manager_id) + 1 AS manager_id) FROM merchants FINAL
  WHERE manager_id = '1' ORDER BY merchant_id LIMIT 1`,
  `INSERT INTO endpoints SELECT * REPLACE (toInt32(gate_id) + 1 AS gate_id) FROM endpoints FINAL
  WHERE toInt32(project_id) % 3 = 1`,
]

const served = await serveLedger(CHANGES, '202607')

/** The values of a query on the rows that a role sees. */
async function valuesOf(role: Role, value: string, rest = ''): Promise<readonly string[]> {
  const seen = latest(served.logins[role])
  const rows = await served.read(`SELECT DISTINCT ${value} AS value FROM ${seen} ${rest}`)
  return rows.flatMap((row) => row['value'] || [])
}

/** Every id of a filter in the rows that a role sees. */
async function everyId(template: Template, role: Role, name: FilterName) {
  const isSettled = name === 'currencies' && filteredCurrency(template) === 'settlement'
  return await valuesOf(role, isSettled ? 'settlement_currency' : FILTERED_COLUMNS[name])
}

/** The merchants that always had a reseller. A filter by resellers never chooses the others. */
async function resoldMerchants(role: Role): Promise<readonly string[]> {
  const always = 'GROUP BY merchant_id HAVING countIf(reseller_id IS NULL) = 0'
  return await valuesOf(role, 'merchant_id', always)
}

async function textOf(template: Template, role: Role, filters: Filters): Promise<string> {
  const wanted = { filters, ...(template.period && { inputs: PERIOD }) }
  return (await askReport(served, served.logins[role], template.identifier, wanted)).answer.text
}

describe.each(TEMPLATES)('$identifier', (template) => {
  test.each(template.roles)(
    'does not change for the %s by filters that choose everything',
    async (role) => {
      const resold = { merchants: await resoldMerchants(role) }
      const [all, onlyResold] = [
        await textOf(template, role, {}),
        await textOf(template, role, resold),
      ]
      expect(all.split('\n').length).toBeGreaterThan(3)
      const every: Record<string, readonly string[]> = {}
      for (const name of FILTER_NAMES) every[name] = await everyId(template, role, name)
      for (const name of FILTER_NAMES) {
        const isOfResellers = name === 'resellers'
        const filters = { ...(isOfResellers && resold), [name]: every[name] }
        const text = await textOf(template, role, filters)
        expect([name, text]).toEqual([name, isOfResellers ? onlyResold : all])
      }
      expect(await textOf(template, role, { ...every, ...resold })).toBe(onlyResold)
    },
  )
})

test('a gate of another currency chooses the statements of its project', async () => {
  const isPaid = "settlement_currency = 'EUR' AND statement_id IS NOT NULL AND currency != 'EUR'"
  const gates = await valuesOf('operator', 'gate_id', `WHERE ${isPaid}`)
  const template = TEMPLATES.find(({ identifier }) => identifier === 'settlement-statement')
  if (!template) throw new Error('expected a report')
  const filtered = await textOf(template, 'operator', { gates, currencies: ['EUR'] })
  expect(filtered.split('\n').length).toBeGreaterThan(10)
  const all = await textOf(template, 'operator', { currencies: ['EUR'] })
  expect(all.length).toBeGreaterThan(filtered.length)
})
