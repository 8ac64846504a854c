import type { EngineChunk } from '@counterfoil/engine'
import { ownText, readRecords } from '../../documents/records.ts'
import { refuseAbove } from '../report/check-rows.ts'
import { limitText } from '../limit-text.ts'
import { accountOf, NAME_LENGTH_MAX, readHead } from './statement.ts'

/** An account in one currency, with its balances before and after the period. Amounts are ten-thousandths. */
export interface AccountBalances {
  readonly holder: string
  readonly account: string
  readonly currency: string
  readonly opening: bigint
  readonly closing: bigint
}

/** What the check of statements finds. */
interface CheckedStatements {
  readonly rows: number
  /** The accounts in the order of the report, or `undefined` if they are too many to list. */
  readonly accounts: readonly AccountBalances[] | undefined
}

/** More accounts fill too many pages before the first statement. */
const ACCOUNTS_MAX = 1000

/**
 * Reads the heads of statements before the first byte of their document. Their records have the columns of
 * `STATEMENT_ROLES`.
 *
 * @throws `invalid-field` if there are more statements than a PDF may have rows
 */
export async function checkStatements(
  chunks: AsyncIterable<EngineChunk>,
  rowsMax: number,
): Promise<CheckedStatements> {
  const accounts: AccountBalances[] = []
  let [rows, last, isTooMany] = [0, '', false]
  for await (const records of readRecords(chunks)) {
    for (const record of records) {
      rows += 1
      refuseAbove(rowsMax, rows)
      const head = readHead(record)
      const account = accountOf(head)
      const before = account === last ? accounts.pop() : undefined
      last = account
      isTooMany ||= accounts.length === ACCOUNTS_MAX
      if (isTooMany) continue
      const { texts, opening, closing } = head
      accounts.push({
        holder: nameOf(texts.holder),
        account: nameOf(texts.account),
        currency: nameOf(texts.currency),
        opening: before?.opening ?? opening,
        closing,
      })
    }
  }
  return { rows, accounts: isTooMany ? undefined : accounts }
}

function nameOf(text: string): string {
  return ownText(limitText(text, NAME_LENGTH_MAX))
}
