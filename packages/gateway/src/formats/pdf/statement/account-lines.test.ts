import { expect, test } from 'vitest'
import type { LayoutColumn, StatementLayout } from '../../layouts.ts'
import { accountMovements, GAP, OTHER_MOVEMENTS } from './account-lines.ts'
import { accountOf, readStatement, type Statement } from './statement.ts'

const column: LayoutColumn = { title: 'any', kind: 'money', sql: 'any' }
const LAYOUT: StatementLayout = {
  columns: {
    holder: column,
    holderId: column,
    account: column,
    accountId: column,
    currency: column,
    statement: column,
    day: column,
    opening: column,
    closing: column,
  },
  entries: [
    { title: 'Sales', count: column, fees: column, amount: column, isCredit: true },
    { title: 'Fees', count: undefined, fees: undefined, amount: column, isCredit: false },
  ],
}

/** A statement as the engine sends it: balances, then sales, their number and fees, and all fees. */
function statement(
  id: string,
  opening: string,
  closing: string,
  [sales, count, fees]: readonly [string, string, string] = ['0', '0', '0'],
): Statement {
  const head = ['Shop', '1', 'Web', '2', 'EUR', id, '2026-10-01', opening, closing]
  return readStatement([...head, sales, count, fees, fees], LAYOUT)
}

const linesOf = (statements: readonly Statement[]) => {
  return accountMovements(statements, LAYOUT).lines.map((line) => {
    return [line.begins?.texts.statement, line.title, line.debit, line.credit, line.balance]
  })
}

test('leads from each opening balance to the closing balance, entry by entry', () => {
  const statements = [
    statement('1', '10', '109.8', ['100', '2', '0.2']),
    statement('2', '109.8', '109.8'),
  ]
  expect(linesOf(statements)).toEqual([
    ['1', 'Opening balance', undefined, undefined, 100_000n],
    [undefined, 'Sales', undefined, 1_000_000n, 1_100_000n],
    [undefined, 'Fees', 2000n, undefined, 1_098_000n],
    [undefined, 'Closing balance', undefined, undefined, 1_098_000n],
    ['2', 'Closing balance', undefined, undefined, 1_098_000n],
  ])
  expect(accountMovements(statements, LAYOUT)).toMatchObject({
    opening: 100_000n,
    closing: 1_098_000n,
    debit: 2000n,
    credit: 1_000_000n,
    gaps: 0,
    sums: [
      { title: 'Sales', count: 2n, debit: undefined, credit: 1_000_000n, fees: 2000n },
      { title: 'Fees', count: undefined, debit: 2000n, credit: undefined, fees: undefined },
    ],
  })
})

test('says that a statement does not open with the balance before it', () => {
  const statements = [statement('1', '0', '0'), statement('2', '-5.0001', '-5.0001')]
  const { gaps, closing, debit } = accountMovements(statements, LAYOUT)
  expect([gaps, closing, debit]).toEqual([1, -50_001n, 50_001n])
  expect(linesOf(statements)).toContainEqual(['2', GAP, 50_001n, undefined, -50_001n])
})

test('says what the entries leave out of a balance', () => {
  const lines = linesOf([statement('1', '0', '7', ['5', '1', '0'])])
  expect(lines).toContainEqual([undefined, OTHER_MOVEMENTS, undefined, 20_000n, 70_000n])
})

test('tells accounts with the same names apart by their ids', () => {
  const record = ['Shop', '1', 'Web', '2', 'EUR', '1', '2026-10-01', '0', '0', '0', '0', '0', '0']
  const other = record.with(3, '3')
  expect(accountOf(readStatement(record, LAYOUT))).not.toBe(accountOf(readStatement(other, LAYOUT)))
})
