// @module-tag long

import { expect, test } from 'vitest'
import { reasonOf } from '../../../ledger/src/import/compare-with-ledger.ts'
import { LEDGER_TABLES, type LedgerTable } from '../../../ledger/src/model/model.ts'
import { LEDGER_RULES } from '../../../ledger/src/rules/rules.ts'
import { verifyLedger } from '../../../ledger/src/rules/verify-ledger.ts'
import { generateLedger } from '../../../sample-data/src/generate/generate-ledger.ts'
import { csvOf, type FileRow, reasonsIn, transactionRow, useImportKit } from '../kit/import-kit.ts'
import {
  HELD,
  HELD_STATEMENTS,
  SALE,
  WRONG_STATEMENTS,
  WRONG_TRANSACTIONS,
} from './wrong-inputs.cases.ts'

const TOMORROW = Date.parse('2027-01-02T23:59:59.999Z')
const OFF = Object.fromEntries(LEDGER_RULES.map(({ name }) => [name, 'off' as const]))
const STATEMENT_RULES = LEDGER_RULES.filter((rule) => rule.of === 'statement').map(
  ({ name }) => name,
)

const kit = await useImportKit()

/** A row for a wrong input. `@sale` and `@501` become the ids that this input has for itself. */
function rowOf(number: number, place: number, change: FileRow): FileRow {
  const own = { project_id: String(1000 + number), ...SALE, ...change }
  const values = Object.entries(own).map(([name, value]) => {
    if (!value?.startsWith('@')) return [name, value]
    const held = value === '@itself' ? OWN : Object.keys(HELD).indexOf(value.slice(1))
    const id = name === 'statement_id' ? statementId(number, value.slice(1)) : idOf(number, held)
    return [name, id]
  })
  return transactionRow(number * 100 + place, Object.fromEntries(values))
}

const idOf = (number: number, place: number): string => {
  return transactionRow(number * 100 + place)['transaction_id'] ?? ''
}
const statementId = (number: number, id: string): string => `${number}${id}`
const OWN = 50

function statementsOf(rows: readonly (readonly [number: number, row: string])[]): string {
  const names =
    'statement_id,merchant_id,project_id,currency,business_day,opening,payable,paid_out,closing'
  const lines = rows.map(
    ([number, row]) => `${number}${row.replace('@', String(1000 + number))},1,1`,
  )
  return [`${names},payout_reference,company_id,manager_id`, ...lines, ''].join('\n')
}

/** The wrong transactions, then the wrong statements, each with its number. */
const TRANSACTIONS = WRONG_TRANSACTIONS.map(([change, ...rules], at) => ({
  number: at + 1,
  rules,
  row: rowOf(at + 1, OWN, change),
}))
const STATEMENTS = WRONG_STATEMENTS.map(([row, ...rules], at) => ({
  number: TRANSACTIONS.length + at + 1,
  rules,
  row,
}))
const NUMBERS = [...TRANSACTIONS, ...STATEMENTS].map(({ number }) => number)

async function importHeld(): Promise<void> {
  const rows = NUMBERS.flatMap((number) => {
    return Object.values(HELD).map((change, place) => rowOf(number, place, change))
  })
  const statements = NUMBERS.flatMap((number) => {
    return HELD_STATEMENTS.map((row) => [number, row] as const)
  })
  const held = await kit.importText('held.csv', csvOf(rows), {
    severities: { statement_unknown: 'off' },
  })
  const table = 'statements'
  const settled = await kit.importText('held.csv', statementsOf(statements), { table })
  for (const { refusedRows, rules } of [held, settled]) {
    expect([refusedRows, rules]).toEqual([[], []])
  }
}

/** How many rows an import refuses or warns of by each rule. */
function countsOf(inputs: readonly { readonly rules: readonly string[] }[]) {
  const counts = new Map<string, number>()
  for (const { rules } of inputs) {
    const broken = LEDGER_RULES.filter(({ name }) => rules.includes(name))
    const refusing = broken.filter(({ severity }) => severity === 'refuse')
    for (const { name } of refusing.length > 0 ? refusing : broken) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  return LEDGER_RULES.flatMap(({ name }) => (counts.has(name) ? [[name, counts.get(name)]] : []))
}

/** What the list of refused rows says of inputs in the lines from 2. */
function refusalsOf(inputs: readonly { readonly rules: readonly string[] }[]) {
  return inputs.flatMap(({ rules }, at) => {
    const refusing = LEDGER_RULES.filter(({ name, severity }) => {
      return rules.includes(name) && severity === 'refuse'
    })
    return refusing.length === 0 ? [] : [[at + 2, ...refusing.map(reasonOf).toSorted()]]
  })
}

test('there are wrong inputs for every rule', () => {
  const all = [...WRONG_TRANSACTIONS, ...WRONG_STATEMENTS]
  expect(all.length).toBeGreaterThan(70)
  const broken = new Set(all.flatMap(([, ...names]) => names))
  expect(LEDGER_RULES.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([])
})

test('an import refuses or warns of each wrong row by its rules, and verify-ledger finds it in the ledger', async () => {
  await importHeld()
  const [rows, statements] = [
    csvOf(TRANSACTIONS.map(({ row }) => row)),
    statementsOf(STATEMENTS.map(({ number, row }) => [number, row])),
  ]
  const table = 'statements'
  const imports = [
    [TRANSACTIONS, await kit.importText('a.csv', rows)],
    [STATEMENTS, await kit.importText('s.csv', statements, { table })],
  ] as const
  for (const [inputs, { refusedRows, rules }] of imports) {
    expect(reasonsIn({ refusedRows })).toEqual(refusalsOf(inputs))
    expect(rules.map((rule) => [rule.name, rule.rows])).toEqual(countsOf(inputs))
  }

  for (const name of ['transactions', 'statements'] as const) await kit.empty(name)
  await importHeld()
  const how = { severities: {}, tomorrowMs: TOMORROW }
  expect(await verifyLedger(kit.engine, how)).toEqual([])
  await kit.importText('a.csv', rows, { severities: OFF })
  await kit.importText('s.csv', statements, { table, severities: OFF })
  const faults = await verifyLedger(kit.engine, how)
  const expected = [...TRANSACTIONS, ...STATEMENTS].flatMap(({ rules }) => rules)
  const counted = faults.map(({ name, rows: found }) => [name, found])
  const counts = LEDGER_RULES.flatMap(({ name }) => {
    const found = expected.filter((one) => one === name).length
    return STATEMENT_RULES.includes(name) ? [] : [[name, found]]
  })
  expect(counted.filter(([name]) => !STATEMENT_RULES.includes(String(name)))).toEqual(counts)
  expect(faults.map(({ name }) => name)).toEqual(LEDGER_RULES.map(({ name }) => name))
  const total = faults.find(({ name }) => name === 'fee_on_decline')
  expect(total).toMatchObject({ rows: 1, sums: [{ currency: 'EUR', sum: '100' }] })
})

test('rules find nothing in a generated ledger', async () => {
  for (const table of Object.keys(LEDGER_TABLES) as LedgerTable[]) await kit.empty(table)
  await generateLedger(kit.engine, { rows: 2_000, seed: 7 })
  expect(await verifyLedger(kit.engine, { severities: {}, tomorrowMs: TOMORROW })).toEqual([])
})
