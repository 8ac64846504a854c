import {
  isTransferIn,
  type Ledger,
  type Statement,
  type Transaction,
} from '../kit/exported-ledger.ts'
import {
  type Checked,
  compareBy,
  type Inputs,
  printDay,
  printMoney,
  type ReportRow,
  sum,
} from '../kit/reports-kit.ts'

const ROLES = ['operator', 'manager', 'merchant'] as const

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
  ],
  recompute: (seen, inputs) => {
    const { nameOf } = seen
    return contentsOf(seen)
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
      .map(({ statement, settled, released }): ReportRow => {
        const of = (...types: readonly string[]) => {
          return settled.filter((row) => types.includes(row.transaction_type))
        }
        const amountOf = (rows: readonly Transaction[]): string => {
          return printMoney(sum(rows.map((row) => row.settlement_amount)))
        }
        const [sales, refunds] = [of('sale', 'capture'), of('reversal')]
        const [chargebacks, transfersIn] = [of('chargeback'), settled.filter(isTransferIn)]
        const payouts = of('payout', 'transfer').filter((row) => !isTransferIn(row))
        return {
          Statement_id: String(statement.statement_id),
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
          Fees: printMoney(sum(settled.map((row) => row.gateway_fee))),
          Reserve_held: printMoney(sum(settled.map((row) => row.reserve_amount))),
          Reserve_released: printMoney(sum(released.map((row) => row.reserve_amount))),
          Opening_balance: printMoney(statement.opening),
          Payable: printMoney(statement.payable),
          Paid_out: printMoney(statement.paid_out),
          Closing_balance: printMoney(statement.closing),
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
        Statement_id: String(statement.statement_id),
        Transaction_id: String(row.transaction_id),
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

/** Each statement with the transactions that it settles, and with those whose reserve it releases. */
function contentsOf({ statements, transactions }: Ledger) {
  const settled = Map.groupBy(transactions, (row) => row.statement_id)
  const released = Map.groupBy(transactions, (row) =>
    [row.merchant_id, row.project_id, row.settlement_currency, row.reserve_release].join(),
  )
  return statements.map((statement) => {
    const { merchant_id: merchant, project_id: project, currency, business_day: day } = statement
    return {
      statement,
      settled: settled.get(statement.statement_id) ?? [],
      released: released.get([merchant, project, currency, day].join()) ?? [],
    }
  })
}

function isStatementAsked(statement: Statement, inputs: Inputs): boolean {
  const { statementId, dateFrom = '', dateTo } = inputs
  const { business_day: day } = statement
  return (
    (statementId === undefined || BigInt(statementId) === statement.statement_id) &&
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
