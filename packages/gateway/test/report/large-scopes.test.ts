// @module-tag long

import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FILTER_NAMES, REQUEST_LIMITS } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import type { Engine } from '../../../engine/src/engine/engine.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { ask, readCatalogue } from '../kit/ask.ts'
import type { Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** The number of merchants. Each has one row in every table, with the merchant's id. */
const WORLD = 12_000
const SEEN = 5_000
const ID_FILTERS = FILTER_NAMES.filter((name) => name !== 'currencies')
const TENANCY_REPORTS = join(import.meta.dirname, 'tenancy/reports')

const report = (identifier: string, rows: string, column: string) => `identifier: ${identifier}
title: Ids
description: The ids of its rows.
rows: ${rows}
roles: [operator, merchant]
formats: [CSV]
columns: [{name: Id, kind: id, sql: ${column}, about: an id}]
order: [${column}]
`

const { sandbox, gateway } = await serveSandbox([0], ({ reports }) => {
  cpSync(join(TENANCY_REPORTS, 'world.yaml'), join(reports, 'world.yaml'))
  for (const [rows, column] of [
    ['transactions', 'transaction_id'],
    ['statements', 'statement_id'],
  ] as const) {
    writeFileSync(join(reports, `${rows}-ids.yaml`), report(`${rows}-ids`, rows, column))
  }
  return {}
})
await fillWorld(gateway.engine)
const viewer = await sandbox.addLogin('even', 'merchant', evenIds().map(String))

async function fillWorld(engine: Engine): Promise<void> {
  const ids =
    'gate_id, company_id, project_id, endpoint_id, merchant_id, processor_id, manager_id, reseller_id'
  const insert = async (into: string, values: string) => {
    await engine.execute(
      `INSERT INTO ${into} SELECT ${values} FROM (SELECT number + 1 AS id FROM numbers(${WORLD}))`,
    )
  }
  await insert('managers (manager_id, name)', "id, 'm'")
  await insert('resellers (reseller_id, name, manager_id)', "id, 'r', id")
  await insert('companies (company_id, name, country)', "id, 'c', 'DE'")
  await insert(
    'merchants (merchant_id, name, login, company_id, manager_id, reseller_id, timezone, mcc)',
    "id, 's', 's', id, id, id, 'UTC', '5999'",
  )
  await insert('projects (project_id, name, merchant_id)', "id, 'p', id")
  await insert('processors (processor_id, name)', "id, 'p'")
  await insert('gates (gate_id, name, processor_id, currency)', "id, 'g', id, 'EUR'")
  await insert(
    'endpoints (endpoint_id, name, project_id, gate_id, currency)',
    "id, 'e', id, id, 'EUR'",
  )
  await engine.execute("INSERT INTO currencies (currency, exponent) VALUES ('EUR', 2)")
  await insert(
    `transactions (transaction_id, order_id, client_order_id, transaction_type, status, created_at, updated_at, row_version,
      amount, currency, ${ids})`,
    `id, id, 'o', 'sale', 'approved', toDateTime64('2026-01-01 00:00:00', 3, 'UTC'), toDateTime64('2026-01-01 00:00:00', 3, 'UTC'),
      1, 1, 'EUR', ${'id, '.repeat(7)} id`,
  )
  await insert(
    `statements (statement_id, merchant_id, project_id, currency, business_day, opening, payable, paid_out, closing,
      company_id, manager_id, reseller_id)`,
    "id, id, id, 'EUR', '2026-01-02', 0, 1, 0, 1, id, id, id",
  )
}

function idsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index)
}

function evenIds(): number[] {
  return idsFrom(1, SEEN).map((id) => 2 * id)
}

async function idsOf(
  login: Login,
  reportIdentifier: string,
  filters: object = {},
): Promise<number[]> {
  const answer = await ask(gateway, login, { reportIdentifier, filters })
  if (answer.status !== 200) throw new Error(answer.text.slice(0, 500))
  const [, ...ids] = answer.text.trimEnd().split('\r\n')
  expect(answer.trailers['counterfoil-rows']).toBe(String(ids.length))
  // The report sorts ids as texts.
  return ids.map((id) => Number(id.slice(1, -1))).toSorted((a, b) => a - b)
}

describe.each(['transactions-ids', 'statements-ids'])('%s', (identifier) => {
  test(`is complete with nine filters at once, eight of them of ${REQUEST_LIMITS.filterValuesMax} ids`, async () => {
    const step = 250
    const filled = ID_FILTERS.map((name, index) => {
      return [name, idsFrom(1 + index * step, REQUEST_LIMITS.filterValuesMax)] as const
    })
    const filters = { ...Object.fromEntries(filled), currencies: ['EUR'] }
    const first = 1 + step * (ID_FILTERS.length - 1)
    const ids = await idsOf(sandbox.logins.operator, identifier, filters)
    expect(ids).toEqual(idsFrom(first, REQUEST_LIMITS.filterValuesMax - first + 1))
  })

  test(`is complete for a login that sees ${SEEN} merchants, also with all of them in eight filters`, async () => {
    expect(await idsOf(viewer, identifier)).toEqual(evenIds())
    const filters = Object.fromEntries(ID_FILTERS.map((name) => [name, evenIds()]))
    expect(await idsOf(viewer, identifier, filters)).toEqual(evenIds())
  })
})

test(`reports all rows of every table for a login that sees ${SEEN} merchants`, async () => {
  const { text } = await ask(gateway, viewer, { reportIdentifier: 'world' })
  const idsByKind: Record<string, (string | undefined)[]> = {}
  for (const line of text.trimEnd().split('\r\n').slice(1)) {
    const [kind = '', id] = line.slice(1, -1).split('","')
    const ids = (idsByKind[kind] ??= [])
    ids.push(id)
  }
  const { currency, ...others } = idsByKind
  expect(currency).toEqual(['EUR'])
  expect(Object.keys(others)).toHaveLength(ID_FILTERS.length + 2)
  // The report sorts ids as texts.
  const own = evenIds().map(String).toSorted()
  for (const ids of Object.values(others)) expect(ids).toEqual(own)
})

test(`the catalogue lists ${LIMITS.filterValuesListedMax} values of each filter, and says that there are more`, async () => {
  for (const login of [viewer, sandbox.logins.operator]) {
    const { filterValues } = await readCatalogue(gateway, login)
    const ids = login === viewer ? evenIds() : idsFrom(1, WORLD)
    const listed = ids.slice(0, LIMITS.filterValuesListedMax).map(String)
    for (const name of ID_FILTERS) {
      const { values, more } = filterValues[name]
      expect([values.map(({ id }) => id), more]).toEqual([listed, true])
    }
    expect(filterValues.currencies).toEqual({ values: [{ id: 'EUR', name: 'EUR' }], more: false })
  }
})
