// @module-tag long

import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FILTER_NAMES, REQUEST_LIMITS } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { readCatalogue } from '../kit/ask.ts'
import { insertInto, rowOf } from '../kit/ledger-rows.ts'
import type { Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import type { Filters } from '../oracles/ledger-sql.ts'
import { askReport } from '../oracles/reports-kit.ts'

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
const world = idsFrom(1, WORLD).map((id) => rowOf(String(id), { name: 's' }))
await insertInto(gateway.engine, world)
await gateway.engine.execute("INSERT INTO currencies (currency, exponent) VALUES ('EUR', 2)")
const viewer = await sandbox.addLogin('even', 'merchant', evenIds().map(String))

function idsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index)
}

function evenIds(): number[] {
  return idsFrom(1, SEEN).map((id) => 2 * id)
}

async function idsOf(
  login: Login,
  reportIdentifier: string,
  filters: Filters = {},
): Promise<number[]> {
  const { rows } = await askReport({ gateway }, login, reportIdentifier, { filters })
  // The report sorts ids as texts.
  return rows.map((row) => Number(row['Id'])).toSorted((a, b) => a - b)
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
  const { rows } = await askReport({ gateway }, viewer, 'world')
  const kinds = Map.groupBy(rows, (row) => row['Kind'])
  expect(kinds.size).toBe(ID_FILTERS.length + 3)
  // The report sorts ids as texts.
  const own = evenIds().map(String).toSorted()
  for (const [kind, ofKind] of kinds) {
    expect(ofKind.map((row) => row['Id'])).toEqual(kind === 'currency' ? ['EUR'] : own)
  }
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
