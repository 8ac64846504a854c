// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FILTER_NAMES, type FilterName, type FilterValue } from '@counterfoil/protocol'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { type Engine, type EngineQuery } from '../../../engine/src/engine/engine.ts'
import { writeForm } from '../../../engine/src/http/write-form.ts'
import { ask, LIST, problemIn } from '../kit/ask.ts'
import { insertInto, rowOf } from '../kit/ledger-rows.ts'
import type { Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { settingsClause, STREAMING_SETTINGS } from '../../../engine/src/dialect/settings.ts'

/** Every table has a row with this id, which no viewer may see. */
const FOREIGN = 900_001
const UNKNOWN = 900_002
/** A merchant without a reseller. */
const ALONE = 900_010
/** The currency of all rows of that merchant. The merchant's endpoint has another currency. */
const ENDPOINTLESS = 'XPF'
const REPORTS = ['transactions-list', 'statements-list'] as const
const ID_FILTERS = FILTER_NAMES.filter((name) => name !== 'currencies')
/** The tables of the hierarchy without merchants. */
const OWNERS = ID_FILTERS.filter((name) => name !== 'merchants')
const VIEWERS = ['manager', 'reseller', 'merchant', 'blind', 'alone'] as const

const STATEMENTS_LIST = `identifier: statements-list
title: Statements
description: A report whose rows are statements.
rows: statements
roles: [operator, manager, reseller, merchant]
formats: [CSV]
columns:
  - {name: Statement, kind: id, sql: statement_id, about: its id}
order: [statement_id]
`

const { sandbox, gateway } = await serveSandbox([2000], ({ reports }) => {
  writeFileSync(join(reports, 'statements-list.yaml'), STATEMENTS_LIST)
  return {}
})
await insertOthers(gateway.engine)
const blind = await sandbox.addLogin('blind', 'reseller', ['900003'])
const alone = await sandbox.addLogin('alone', 'merchant', [String(ALONE)])
const logins = { ...sandbox.logins, blind, alone }
beforeEach(() => void vi.restoreAllMocks())

async function insertOthers(engine: Engine): Promise<void> {
  const foreign = { currency: 'XTS' }
  const lone = { currency: ENDPOINTLESS, reseller_id: null }
  const [one, other] = [String(FOREIGN), String(ALONE)]
  await insertInto(engine, [rowOf(one, foreign), rowOf(other)], OWNERS)
  await insertInto(engine, [rowOf(one), rowOf(other, lone)], ['merchants'])
  await insertInto(engine, [rowOf(one, foreign), rowOf(other, lone)], ['statements'])
  for (const [id, change] of [
    [one, foreign],
    [other, lone],
  ] as const) {
    const rows = Array.from({ length: 20 }, (_, index) => {
      return rowOf(id, { ...change, transaction_id: `${id}${index}`, statement_id: null })
    })
    await insertInto(engine, rows, ['transactions'])
  }
  await engine.execute("INSERT INTO currencies (currency, exponent) VALUES ('XTS', 2)")
}

type Filters = Partial<Record<FilterName, readonly FilterValue[]>>

/** Returns everything that a refusal could reveal: the bytes of the answer, and the queries with their costs. */
async function refusalOf(login: Login, reportIdentifier: string, filters: Filters, more = {}) {
  const stream = vi.spyOn(gateway.engine, 'stream').mockClear()
  const answer = await ask(gateway, login, { reportIdentifier, filters, ...more })
  const { code, requestId } = problemIn(answer)
  const { date: _, 'counterfoil-request-id': id, ...headers } = answer.headers
  expect(id).toBe(requestId)
  const queries = stream.mock.calls.map(([query]) => query)
  const lookUps = []
  for (const query of queries) {
    const { parameters, ...rest } = query
    lookUps.push({ ...rest, names: Object.keys(parameters), cost: await costOf(query) })
  }
  // A viewer without rows reads no rows, but every look-up reads some of the hierarchy.
  for (const { cost } of lookUps.slice(0, 1)) expect(cost.rows_read).toBeGreaterThan(0)
  return {
    code,
    status: answer.status,
    headers,
    text: answer.text.replace(requestId, 'ID'),
    lookUps,
  }
}

/** The gateway reads the hierarchy first, then the caller's own rows. */
const TWO_LOOK_UPS = { code: 'invalid-filter', lookUps: [expect.anything(), expect.anything()] }

const costSchema = z.object({
  statistics: z.object({ rows_read: z.number(), bytes_read: z.number() }),
})

type Cost = z.infer<typeof costSchema>['statistics']

/** The costs of earlier queries. A test that changes the ledger clears them. */
const knownCosts = new Map<string, Promise<Cost>>()

async function costOf(query: EngineQuery): Promise<Cost> {
  const key = JSON.stringify(query)
  const cost = knownCosts.get(key) ?? measureCost(query)
  knownCosts.set(key, cost)
  return await cost
}

/** Measures what the engine reads for a query. */
async function measureCost({ sql, parameters, settings }: EngineQuery): Promise<Cost> {
  const address = await gateway.engine.ownServer?.()
  if (!address) throw new Error("expected the gateway's own ClickHouse")
  const { user, password } = address.login
  const clause = settingsClause({ ...STREAMING_SETTINGS, ...settings })
  const { contentType, body } = writeForm({ sql: `${sql} ${clause}`, parameters })
  const answer = await fetch(`${address.url}/?default_format=JSONCompact`, {
    method: 'POST',
    headers: { 'content-type': contentType, authorization: `Basic ${btoa(`${user}:${password}`)}` },
    body,
  })
  return costSchema.parse(await answer.json()).statistics
}

function idsOf(filter: FilterName): readonly [foreign: FilterValue, unknown: FilterValue] {
  return filter === 'currencies' ? ['XTS', 'XUA'] : [FOREIGN, UNKNOWN]
}

test.each(FILTER_NAMES)('has rows with the foreign id for the operator, by %s', async (name) => {
  for (const reportIdentifier of REPORTS) {
    const filters = { [name]: [idsOf(name)[0]] }
    const answer = await ask(gateway, logins.operator, { reportIdentifier, filters })
    expect(Number(answer.trailers['counterfoil-rows'])).toBeGreaterThan(0)
  }
})

describe.each(VIEWERS)('to the %s', (viewer) => {
  test.each(FILTER_NAMES)(
    'an unknown and a foreign id in %s give the same bytes, by look-ups of the same cost',
    async (filter) => {
      const [foreign, unknown] = idsOf(filter)
      for (const report of REPORTS) {
        const refused = await refusalOf(logins[viewer], report, { [filter]: [foreign] })
        expect(refused).toMatchObject(TWO_LOOK_UPS)
        expect(await refusalOf(logins[viewer], report, { [filter]: [unknown] })).toEqual(refused)
      }
    },
  )

  test.each<[what: string, foreign: FilterValue, unknown: FilterValue]>([
    ['as texts', `${FOREIGN}`, `${UNKNOWN}`],
    ['with leading zeros', `000${FOREIGN}`, `000${UNKNOWN}`],
    [
      'with zeros up to the longest',
      `${FOREIGN}`.padStart(18, '0'),
      `${UNKNOWN}`.padStart(18, '0'),
    ],
    ['as a number and a text', FOREIGN, `${UNKNOWN}`],
    // An engine that truncated ids to 32 bits would find the foreign id, and the caller's own id 1.
    ['past 32 bits', FOREIGN + 2 ** 32, 1 + 2 ** 32],
    ['past 53 bits', `${BigInt(FOREIGN) + 2n ** 58n}`, '999999999999999999'],
    ['as the least id', FOREIGN, 0],
  ])('written %s they give the same bytes too', async (_, foreign, unknown) => {
    const filled = (id: FilterValue): Filters => {
      return Object.fromEntries(ID_FILTERS.map((name) => [name, [id]]))
    }
    const refused = await refusalOf(logins[viewer], LIST.reportIdentifier, filled(foreign))
    expect(refused).toMatchObject(TWO_LOOK_UPS)
    expect(await refusalOf(logins[viewer], LIST.reportIdentifier, filled(unknown))).toEqual(refused)
  })

  test('in every filter at once, together and in either order, they give the same bytes', async () => {
    const filled = (of: (ids: readonly FilterValue[]) => readonly FilterValue[]): Filters => {
      return Object.fromEntries(FILTER_NAMES.map((name) => [name, of(idsOf(name))]))
    }
    const [both, turned, twice] = [
      filled((ids) => ids),
      filled((ids) => ids.toReversed()),
      filled(([, unknown = 0]) => [unknown, unknown]),
    ]
    for (const report of REPORTS) {
      const mixed = await refusalOf(logins[viewer], report, both)
      expect(mixed.code).toBe('invalid-filter')
      // Statements have no gate, so the third look-up reads transactions.
      expect(mixed.lookUps).toHaveLength(report === 'statements-list' ? 3 : 2)
      for (const other of [turned, twice]) {
        expect(await refusalOf(logins[viewer], report, other)).toEqual(mixed)
      }
    }
  })

  test('with other faults in the request they give the same bytes', async () => {
    const element = { type: 'INPUT_TEXT', name: 'nothing', value: '' }
    for (const more of [
      { outputReportParameters: ['Nothing'] },
      { inputReportParameters: [element] },
    ]) {
      const refused = (gate: number) => {
        return refusalOf(logins[viewer], LIST.reportIdentifier, { gates: [gate] }, more)
      }
      expect(await refused(UNKNOWN)).toEqual(await refused(FOREIGN))
    }
  })
})

test('filters by values of the login’s rows that no endpoint uses', async () => {
  await gateway.engine.execute(`INSERT INTO transactions
    SELECT * REPLACE (900020 AS gate_id, row_version + 1 AS row_version)
    FROM transactions FINAL WHERE merchant_id = '${ALONE}' ORDER BY transaction_id LIMIT 5`)
  knownCosts.clear()
  for (const reportIdentifier of REPORTS) {
    const filters = { currencies: [ENDPOINTLESS] }
    const { trailers } = await ask(gateway, logins.alone, { reportIdentifier, filters })
    expect(trailers['counterfoil-rows']).toBe(reportIdentifier === 'statements-list' ? '1' : '20')
    const refused = await refusalOf(logins.merchant, reportIdentifier, filters)
    expect(refused.code).toBe('invalid-filter')
  }
  const filters = { gates: [900_020] }
  const list = await ask(gateway, logins.alone, { ...LIST, filters })
  expect(list.trailers['counterfoil-rows']).toBe('5')
  const statements = { reportIdentifier: 'statements-list', filters }
  expect((await ask(gateway, logins.alone, statements)).trailers['counterfoil-rows']).toBe('1')
})

test('does not find a merchant without a reseller by the reseller id 0', async () => {
  for (const login of [logins.operator, blind, alone]) {
    const refused = await refusalOf(login, LIST.reportIdentifier, { resellers: [UNKNOWN] })
    expect(refused).toMatchObject(TWO_LOOK_UPS)
    expect(await refusalOf(login, LIST.reportIdentifier, { resellers: [0] })).toEqual(refused)
  }
  const own = await ask(gateway, alone)
  expect(own.trailers['counterfoil-rows']).toBe('20')
  const nothing = await ask(gateway, blind)
  expect(nothing.trailers['counterfoil-rows']).toBe('0')
})

test('refuses an impossible id without a look-up', async () => {
  for (const id of ['', ' 1', '1\u0000', '1'.repeat(129), Number.MAX_SAFE_INTEGER + 1]) {
    const { code, lookUps } = await refusalOf(logins.merchant, LIST.reportIdentifier, {
      gates: [id],
    })
    expect(code).toBe('invalid-field')
    expect(lookUps).toEqual([])
  }
})
