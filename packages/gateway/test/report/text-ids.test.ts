import { FILTER_NAMES } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { deleteRows } from '../../../ledger/src/import/undo-and-delete.ts'
import { FORMAT_READERS, NO_CONTENT } from '../formats/format-readers.ts'
import { ask, problemIn, readCatalogue } from '../kit/ask.ts'
import { ledgerAccess } from '../kit/import-kit.ts'
import { insertInto, rowOf } from '../kit/ledger-rows.ts'
import type { Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { askReport, type Wanted } from '../oracles/reports-kit.ts'

/** Each is the id of a transaction, its order and its statement, and of everything to which they belong. */
const IDS = [
  'a',
  'a,b',
  'A',
  'acct_1A2b,"x\'',
  'ch-0001',
  '0001',
  '1',
  '018f3c5e-7d2a-7b61-9c1f-3f0a5e2b9d44',
  '\\',
  "') OR 1 --",
  '{now:String}',
  '商店 №1',
]
const ID_FILTERS = FILTER_NAMES.filter((name) => name !== 'currencies')
const COLUMNS = ['Transaction_id', 'Order_id', 'Merchant_id', 'Merchant_Name', 'Statement_id']
const LIST = { reportIdentifier: 'transactions-list', outputReportParameters: COLUMNS }

const { sandbox, gateway } = await serveSandbox([
  0,
  ['transactions-list.yaml', 'settlement-statement.yaml'],
])
const { engine } = gateway
const { operator } = sandbox.logins
const AMOUNTS = { settlement_amount: 5, settlement_currency: 'EUR', net_amount: 5 }
await insertInto(
  engine,
  IDS.map((id) => rowOf(id, AMOUNTS)),
)
await engine.execute('SYSTEM RELOAD DICTIONARIES')
const logins = new Map<string, Login>()
for (const [index, id] of IDS.entries()) {
  logins.set(id, await sandbox.addLogin(`shop-${index}`, 'merchant', [id]))
}

const loginOf = (id: string): Login => logins.get(id) ?? operator
const reported = (id: string): readonly string[] => [id, id, id, `Shop ${id}`, id]

async function listOf(login: Login, wanted: Wanted = {}): Promise<readonly (readonly string[])[]> {
  const asked = { columns: COLUMNS, ...wanted }
  const { rows } = await askReport({ gateway }, login, 'transactions-list', asked)
  return rows.map((row) => Object.values(row))
}

describe.each(IDS)('the id %s', (id) => {
  test('is the scope of a login, and of no other', async () => {
    expect(await listOf(loginOf(id))).toEqual([reported(id)])
  })

  test('filters', { tags: ['long'] }, async () => {
    for (const name of ID_FILTERS) {
      expect([name, await listOf(operator, { filters: { [name]: [id] } })]).toEqual([
        name,
        [reported(id)],
      ])
    }
    const every = Object.fromEntries(ID_FILTERS.map((name) => [name, IDS]))
    expect(await listOf(operator, { filters: every })).toHaveLength(IDS.length)
  })

  test('is as unknown to the other logins as an id that nobody has', {
    tags: ['long'],
  }, async () => {
    const login = loginOf(id === 'a' ? 'a,b' : 'a')
    for (const name of ID_FILTERS) {
      const refused = async (filtered: string) => {
        const answer = await ask(gateway, login, { ...LIST, filters: { [name]: [filtered] } })
        const { requestId: _, ...problem } = problemIn(answer)
        return problem
      }
      const expected = await refused('nobody')
      expect(expected).toMatchObject({ code: 'invalid-filter' })
      expect(await refused(id)).toEqual(expected)
    }
  })

  test('is in the catalogue with its name', { tags: ['long'] }, async () => {
    const { filterValues } = await readCatalogue(gateway, loginOf(id))
    for (const name of ID_FILTERS) {
      expect(filterValues[name].values).toEqual([{ id, name: `Shop ${id}` }])
    }
  })

  test('is in every format', { tags: ['long'] }, async () => {
    for (const reportFormat of ['CSV', 'JSONL', 'PARQUET', 'XLSX'] as const) {
      const request = { ...LIST, reportFormat }
      const { bytes } = await ask(gateway, loginOf(id), request)
      const { rows } = await FORMAT_READERS[reportFormat].read(bytes, NO_CONTENT)
      expect([reportFormat, rows]).toEqual([reportFormat, [reported(id)]])
    }
  })

  test('chooses a statement', { tags: ['long'] }, async () => {
    const wanted = { inputs: { statementId: id } }
    for (const login of [operator, loginOf(id)]) {
      const { rows } = await askReport({ gateway }, login, 'settlement-statement', wanted)
      expect(rows).toMatchObject([{ Statement_id: id, Sales_amount: '5.000', Payable: '5.000' }])
    }
  })

  test('tells the versions of its transaction from those of the others', {
    tags: ['long'],
  }, async () => {
    await insertInto(engine, [rowOf(id, { ...AMOUNTS, row_version: 2 })], ['transactions'])
    const inputs = { changedSince: '1970-01-01T00:00:00.000Z' }
    expect(await listOf(loginOf(id), { inputs })).toEqual([reported(id)])
    expect(await listOf(operator)).toHaveLength(IDS.length)
  })
})

test('the deleted rows of a merchant are those of its id', async () => {
  const gone = 'a,b'
  await deleteRows(ledgerAccess(engine), { merchant: gone })
  const left = new Set((await listOf(operator)).map(([id]) => id))
  expect(left).toEqual(new Set(IDS.filter((id) => id !== gone)))
  expect(await listOf(loginOf(gone))).toEqual([])
})
