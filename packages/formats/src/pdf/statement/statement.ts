import { readAmount } from '../../documents/exact-amounts.ts'
import { STATEMENT_ROLES, type StatementLayout, type StatementRole } from '../../format/format.ts'

/** A head of longer names would not fit on its page. */
export const NAME_LENGTH_MAX = 120

/** The head of a statement: whose it is, and its balances. Amounts are ten-thousandths. */
export interface StatementHead {
  readonly texts: Readonly<Record<StatementRole, string>>
  readonly opening: bigint
  readonly closing: bigint
}

/** A statement: what moved an account's balance, and the balances around it. Amounts are ten-thousandths. */
export interface Statement extends StatementHead {
  /** In the order of the layout's entries. */
  readonly entries: readonly StatementFigures[]
}

/** The figures of an entry. */
export interface StatementFigures {
  readonly amount: bigint
  readonly count: bigint | undefined
  readonly fees: bigint | undefined
}

/** Reads the head of a statement from the first fields of a record, which have the order of `STATEMENT_ROLES`. */
export function readHead(record: readonly string[]): StatementHead {
  const [holder = '', holderId = '', account = '', accountId = '', currency = ''] = record
  const [statement = '', day = '', opening = '', closing = ''] = record.slice(5)
  return {
    texts: { holder, holderId, account, accountId, currency, statement, day, opening, closing },
    opening: readAmount(opening),
    closing: readAmount(closing),
  }
}

/** Reads a statement from a record of `planStatements`. */
export function readStatement(record: readonly string[], layout: StatementLayout): Statement {
  let field = STATEMENT_ROLES.length
  const next = (): string => record[field++] ?? ''
  const entries = layout.entries.map(({ count, fees }) => ({
    amount: readAmount(next()),
    count: count && BigInt(next() || '0'),
    fees: fees && readAmount(next()),
  }))
  return { ...readHead(record), entries }
}

/** Identifies the account of a statement, in one currency. */
export function accountOf({ texts }: StatementHead): string {
  const { holder, holderId, account, accountId, currency } = texts
  return [holder, holderId, account, accountId, currency].join('\x1f')
}
