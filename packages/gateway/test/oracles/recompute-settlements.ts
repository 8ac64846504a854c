import { isTransferIn, type Ledger, type Statement, type Transaction } from './exported-ledger.ts'
import {
  type Checked,
  compareBy,
  type Inputs,
  printDay,
  printMoney,
  type ReportRow,
  sum,
} from './reports-kit.ts'

const ROLES = ['operator', 'manager', 'merchant'] as const

const STATED_TYPES = ['sale', 'capture', 'reversal', 'chargeback', 'transfer', 'payout']

/** `settlement-statement`. */
export const SETTLEMENT_STATEMENT: Checked = {
  identifier: 'settlement-statement',
  roles: ROLES,
  columns: [
    'Statement_id',
    'Business_day',
    'Merchant',
    'Project',
    'Currency',
    'Sales_count',
    'Sales_amount',
    'Refunds_count',
    'Refunds_amount',
    'Chargebacks_count',
    'Chargebacks_amount',
    'Transfers_in_count',
    'Transfers_in_amount',
    'Payouts_count',
    'Payouts_amount',
    'Fees',
    'Reserve_held',
    'Reserve_released',
    'Opening_balance',
    'Payable',
    'Paid_out',
    'Closing_balance',
    'Other_movements',
    'Balance_gap',
  ],
  recompute: (seen, inputs) => {
    const { nameOf, whole = seen } = seen
    const own = new Set(seen.statements.map(({ statement_id: id }) => id))
    return contentsOf(whole)
      .filter(({ statement }) => own.has(statement.statement_id))
      .filter(({ statement }) => isStatementAsked(statement, inputs))
      .filter(({ settled }) => hasSome(settled, inputs))
      .toSorted(
        compareBy(
          ({ statement }) => nameOf('merchants', statement.merchant_id),
          ({ statement }) => nameOf('projects', statement.project_id),
          ({ statement }) => statement.currency,
          ({ statement }) => statement.business_day,
        ),
      )
      .map(({ statement, settled, released, gap }): ReportRow => {
        const counted = settled.filter(({ status, settlement_currency: currency }) => {
          return status === 'approved' && (currency ?? statement.currency) === statement.currency
        })
        const of = (...types: readonly string[]) => {
          return counted.filter((row) => types.includes(row.transaction_type))
        }
        const amountOf = (rows: readonly Transaction[]): string => {
          return printMoney(sum(rows.map((row) => row.settlement_amount)))
        }
        const explained = counted.map((row) => {
          const isCredit = ['sale', 'capture'].includes(row.transaction_type) || isTransferIn(row)
          const amount = row.settlement_amount ?? 0n
          const moves = STATED_TYPES.includes(row.transaction_type)
          const signed = isCredit ? amount : -amount
          return (moves ? signed : 0n) - (row.gateway_fee ?? 0n) - (row.reserve_amount ?? 0n)
        })
        const release = sum(released.map((row) => row.reserve_amount))
        const movement = statement.closing - statement.opening
        const [sales, refunds] = [of('sale', 'capture'), of('reversal')]
        const [chargebacks, transfersIn] = [of('chargeback'), counted.filter(isTransferIn)]
        const payouts = of('payout', 'transfer').filter((row) => !isTransferIn(row))
        return {
          Statement_id: statement.statement_id,
          Business_day: printDay(statement.business_day),
          Merchant: nameOf('merchants', statement.merchant_id),
          Project: nameOf('projects', statement.project_id),
          Currency: statement.currency,
          Sales_count: String(sales.length),
          Sales_amount: amountOf(sales),
          Refunds_count: String(refunds.length),
          Refunds_amount: amountOf(refunds),
          Chargebacks_count: String(chargebacks.length),
          Chargebacks_amount: amountOf(chargebacks),
          Transfers_in_count: String(transfersIn.length),
          Transfers_in_amount: amountOf(transfersIn),
          Payouts_count: String(payouts.length),
          Payouts_amount: amountOf(payouts),
          Fees: printMoney(sum(counted.map((row) => row.gateway_fee))),
          Reserve_held: printMoney(sum(counted.map((row) => row.reserve_amount))),
          Reserve_released: printMoney(release),
          Opening_balance: printMoney(statement.opening),
          Payable: printMoney(statement.payable),
          Paid_out: printMoney(statement.paid_out),
          Closing_balance: printMoney(statement.closing),
          Other_movements: printMoney(movement - sum(explained) - release + statement.paid_out),
          Balance_gap: printMoney(gap),
        }
      })
  },
}

const DETAILS = [
  'Statement_id',
  'Transaction_id',
  'Merchant_OID',
  'Type',
  'Amount',
  'Currency',
  'Fx_rate',
  'Settlement_amount',
  'Settlement_currency',
  'Fee_gateway',
]

const REST_OF_DETAILS = ['Reserve_held', 'Net_amount', 'Business_day']

/** `settlement-details`, with the columns of a role. */
export function settlementDetails(role: (typeof ROLES)[number]): Checked {
  const own = role === 'operator' ? ['Fee_processor', 'Fee_interchange', 'Fee_scheme'] : []
  const columns = [...DETAILS, ...own, ...REST_OF_DETAILS]
  return {
    identifier: 'settlement-details',
    roles: [role],
    columns,
    titles: { [role]: columns },
    recompute: recomputeDetails,
  }
}

function recomputeDetails(seen: Ledger, inputs: Inputs): readonly ReportRow[] {
  const rows = contentsOf(seen)
    .filter(({ statement }) => isStatementAsked(statement, inputs))
    .flatMap(({ statement, settled, released }) => [
      ...settled.map((row) => ({ statement, row, type: row.transaction_type })),
      ...released.map((row) => ({ statement, row, type: 'reserve_release' })),
    ])
  const { statuses, types } = inputs
  return rows
    .filter(({ row, type }) => {
      const isOfStatus = statuses?.split(',').includes(row.status) ?? true
      return isOfStatus && (types?.split(',').includes(type) ?? true)
    })
    .toSorted(
      compareBy(
        ({ statement }) => statement.business_day,
        ({ statement }) => statement.statement_id,
        ({ row }) => row.transaction_id,
        ({ type }) => type,
      ),
    )
    .map(({ statement, row, type }): ReportRow => {
      const isRelease = type === 'reserve_release'
      const money = (amount: bigint | null): string => printMoney(isRelease ? null : amount)
      return {
        Statement_id: statement.statement_id,
        Transaction_id: row.transaction_id,
        Merchant_OID: row.client_order_id,
        Type: type,
        Amount: money(row.amount),
        Currency: row.currency,
        Fx_rate: isRelease ? '' : (row.fx_rate ?? ''),
        Settlement_amount: money(row.settlement_amount),
        Settlement_currency: row.settlement_currency ?? '',
        Fee_gateway: money(row.gateway_fee),
        Fee_processor: money(row.processor_fee),
        Fee_interchange: money(row.interchange_fee),
        Fee_scheme: money(row.scheme_fee),
        Net_amount: printMoney(isRelease ? row.reserve_amount : row.net_amount),
        Reserve_held: money(row.reserve_amount),
        Business_day: printDay(statement.business_day),
      }
    })
}

/**
 * Each statement with the transactions that it settles, with those whose reserve it releases, and with the difference
 * between its opening balance and the balance before.
 */
function contentsOf({ statements, transactions }: Pick<Ledger, 'statements' | 'transactions'>) {
  const settled = Map.groupBy(transactions, (row) => row.statement_id)
  const accounts = Map.groupBy(
    statements.toSorted(
      compareBy(
        (one) => one.business_day,
        (one) => one.statement_id,
      ),
    ),
    (one) => accountOf(one, one.currency),
  )
  const released = new Map<string, Transaction[]>()
  for (const row of transactions) {
    const { reserve_release: due, reserve_amount: held, status } = row
    if (due === null || held === null || status !== 'approved') continue
    const account = accounts.get(accountOf(row, row.settlement_currency)) ?? []
    const first = account.find(({ business_day: day }) => day >= due)
    if (first === undefined) continue
    const others = released.get(first.statement_id) ?? []
    released.set(first.statement_id, [...others, row])
  }
  return [...accounts.values()].flatMap((account) => {
    return account.map((statement, index) => ({
      statement,
      settled: settled.get(statement.statement_id) ?? [],
      released: released.get(statement.statement_id) ?? [],
      gap: statement.opening - (account[index - 1]?.closing ?? statement.opening),
    }))
  })
}

function accountOf(
  { merchant_id: merchant, project_id: project }: Pick<Statement, 'merchant_id' | 'project_id'>,
  currency: string | null,
): string {
  return [merchant, project, currency].join()
}

function isStatementAsked(statement: Statement, inputs: Inputs): boolean {
  const { statementId, dateFrom = '', dateTo } = inputs
  const { business_day: day } = statement
  return (
    (statementId === undefined || statementId === statement.statement_id) &&
    day >= dateFrom &&
    (dateTo === undefined || day < dateTo)
  )
}

function hasSome(rows: readonly Transaction[], { statuses, types }: Inputs): boolean {
  const has = (written: string | undefined, valueOf: (row: Transaction) => string): boolean => {
    return written === undefined || rows.some((row) => written.split(',').includes(valueOf(row)))
  }
  return has(statuses, (row) => row.status) && has(types, (row) => row.transaction_type)
}
