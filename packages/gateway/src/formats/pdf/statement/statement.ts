import { readAmount } from '../../exact-amounts.ts'
import type { StatementLayout, StatementRole } from '../../layouts.ts'

/** A statement: what moved an account's balance, and the balances around it. Amounts are ten-thousandths. */
export interface Statement {
  readonly texts: Readonly<Record<StatementRole, string>>
  readonly opening: bigint
  readonly closing: bigint
  /** In the order of the layout's entries. */
  readonly entries: readonly StatementFigures[]
}

/** The figures of an entry. */
export interface StatementFigures {
  readonly amount: bigint
  readonly count: bigint | undefined
  readonly fees: bigint | undefined
}

/** Reads a statement from a record of `planStatements`. */
export function readStatement(record: readonly string[], layout: StatementLayout): Statement {
  let field = 0
  const next = (): string => record[field++] ?? ''
  // The order of `STATEMENT_ROLES`.
  const texts = {
    holder: next(),
    holderId: next(),
    account: next(),
    accountId: next(),
    currency: next(),
    statement: next(),
    day: next(),
    opening: next(),
    closing: next(),
  }
  const entries = layout.entries.map(({ count, fees }) => ({
    amount: readAmount(next()),
    count: count && BigInt(next() || '0'),
    fees: fees && readAmount(next()),
  }))
  const [opening, closing] = [readAmount(texts.opening), readAmount(texts.closing)]
  return { texts, opening, closing, entries }
}

/** Identifies the account of a statement, in one currency. */
export function accountOf({ texts }: Statement): string {
  const { holder, holderId, account, accountId, currency } = texts
  return [holder, holderId, account, accountId, currency].join('\x1f')
}
