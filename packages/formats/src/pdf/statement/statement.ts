import type { EngineChunk } from '@counterfoil/engine'
import { readAmount } from '../../documents/amounts.ts'
import { limitText } from '../../documents/limit-text.ts'
import { ownText, readRecords } from '../../documents/records.ts'
import { STATEMENT_ROLES, type StatementLayout, type StatementRole } from '../../format/format.ts'

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

export interface StatementFigures {
  readonly amount: bigint
  readonly count: bigint | undefined
  readonly fees: bigint | undefined
}

/** Reads the head of a statement from the first fields of a record, which have the order of `STATEMENT_ROLES`. */
function readHead(record: readonly string[]): StatementHead {
  const [holder = '', holderId = '', account = '', accountId = '', currency = ''] = record
  const [statement = '', day = '', opening = '', closing = ''] = record.slice(5)
  return {
    texts: { holder, holderId, account, accountId, currency, statement, day, opening, closing },
    opening: readAmount(opening),
    closing: readAmount(closing),
  }
}

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

export function accountOf({ texts }: StatementHead): string {
  const { holder, holderId, account, accountId, currency } = texts
  return [holder, holderId, account, accountId, currency].join('\x1f')
}

/** A head of longer names would not fit on its page. */
const NAME_LENGTH_MAX = 120

export function nameOf(text = ''): string {
  return limitText(text, NAME_LENGTH_MAX)
}

/** An account in one currency, with its balances before and after the period. Amounts are ten-thousandths. */
export interface AccountBalances {
  readonly holder: string
  readonly account: string
  readonly currency: string
  readonly opening: bigint
  readonly closing: bigint
}

/** More accounts fill too many pages before the first statement. */
const ACCOUNTS_MAX = 1000

/** Reads the accounts of statements from their heads. Returns none if they are too many to list. */
export async function readAccounts(
  chunks: AsyncIterable<EngineChunk>,
  onRow: (row: number) => void,
): Promise<readonly AccountBalances[]> {
  const accounts: AccountBalances[] = []
  let [rows, last, areTooMany] = [0, '', false]
  for await (const records of readRecords(chunks)) {
    for (const record of records) {
      rows += 1
      onRow(rows)
      const head = readHead(record)
      const account = accountOf(head)
      const before = account === last ? accounts.pop() : undefined
      last = account
      areTooMany ||= accounts.length === ACCOUNTS_MAX
      if (areTooMany) continue
      const { texts, opening, closing } = head
      accounts.push({
        holder: ownText(nameOf(texts.holder)),
        account: ownText(nameOf(texts.account)),
        currency: ownText(nameOf(texts.currency)),
        opening: before?.opening ?? opening,
        closing,
      })
    }
  }
  return areTooMany ? [] : accounts
}
