import type { Checked, Computed } from './reports-kit.ts'
import {
  IS_TRANSFER_IN,
  type Inputs,
  isAsked,
  isOf,
  isOneOf,
  LATEST,
  money,
  printedDay,
} from './ledger-sql.ts'

const ROLES = ['operator', 'manager', 'merchant'] as const

const DETAILS = `statement_id, business_day, transaction_id, client_order_id, status, amount, currency, fx_rate,
  settlement_amount, settlement_currency, gateway_fee, processor_fee, interchange_fee, scheme_fee, reserve_amount,
  net_amount`

/** The approved transactions with a reserve, each with the first statement of its account on or after its day. */
function released(transactions: string, statements: string): string {
  return `(SELECT * FROM (SELECT * EXCEPT statement_id FROM ${transactions}
      WHERE status = 'approved' AND reserve_amount IS NOT NULL AND reserve_release IS NOT NULL) AS held
    ASOF JOIN (SELECT statement_id, business_day, merchant_id, project_id, currency AS account_currency
      FROM ${statements}) AS paid
    ON held.merchant_id = paid.merchant_id AND held.project_id = paid.project_id
      AND held.settlement_currency = paid.account_currency AND paid.business_day >= held.reserve_release)`
}

/** The condition of a statement in the requested period. */
function isStated({ statementId, dateFrom, dateTo }: Inputs): string {
  const period = { ...(dateFrom && { dateFrom }), ...(dateTo && { dateTo }) }
  const isOne = statementId === undefined ? '1' : `statement_id = '${statementId}'`
  return `${isOne} AND ${isAsked(period, 'business_day')}`
}

/** `settlement-statement`. */
export const SETTLEMENT_STATEMENT: Checked = {
  identifier: 'settlement-statement',
  roles: ROLES,
  hasOptional: true,
  compute: ({ isSeen, inputs }) => {
    const isCounted =
      "status = 'approved' AND ifNull(settlement_currency, currency) = account_currency"
    const amount = 'ifNull(settlement_amount, 0)'
    const isCredit = `(${isOf('sale', 'capture')} OR ${IS_TRANSFER_IN})`
    const isStatedType = isOf('sale', 'capture', 'reversal', 'chargeback', 'transfer', 'payout')
    const both = (name: string, condition: string) => {
      const all = `${isCounted} AND ${condition}`
      return `countIf(${all}) AS ${name}_count, sumIf(${amount}, ${all}) AS ${name}`
    }
    const settled = `(
      SELECT statement_id, groupUniqArray(status) AS statuses, groupUniqArray(transaction_type) AS types,
        ${both('sales', isOf('sale', 'capture'))}, ${both('refunds', isOf('reversal'))},
        ${both('chargebacks', isOf('chargeback'))}, ${both('transfers', IS_TRANSFER_IN)},
        ${both('payouts', `${isOf('payout', 'transfer')} AND NOT ${IS_TRANSFER_IN}`)},
        sumIf(ifNull(gateway_fee, 0), ${isCounted}) AS fees, sumIf(ifNull(reserve_amount, 0), ${isCounted}) AS reserved,
        sumIf(if(${isCredit}, ${amount}, -${amount}), ${isCounted} AND ${isStatedType}) - fees - reserved AS explained
      FROM ${LATEST} AS settled
      JOIN (SELECT statement_id, currency AS account_currency FROM statements) AS accounts USING statement_id
      GROUP BY statement_id)`
    const release = `(SELECT statement_id, sum(assumeNotNull(reserve_amount)) AS released
      FROM ${released(LATEST, 'statements')} GROUP BY statement_id)`
    const has = (list: string, wanted: string | undefined) => {
      return wanted === undefined ? '1' : `arrayExists(one -> ${isOneOf('one', wanted)}, ${list})`
    }
    const count = (name: string) => `ifNull(${name}_count, 0)`
    const sum = (name: string) => money(`ifNull(${name}, 0)`)
    return {
      columns: {
        Statement_id: 'statement_id',
        Business_day: printedDay('business_day'),
        Merchant: 'merchant',
        Project: 'project',
        Currency: 'currency',
        Sales_count: count('sales'),
        Sales_amount: sum('sales'),
        Refunds_count: count('refunds'),
        Refunds_amount: sum('refunds'),
        Chargebacks_count: count('chargebacks'),
        Chargebacks_amount: sum('chargebacks'),
        Transfers_in_count: count('transfers'),
        Transfers_in_amount: sum('transfers'),
        Payouts_count: count('payouts'),
        Payouts_amount: sum('payouts'),
        Fees: sum('fees'),
        Reserve_held: sum('reserved'),
        Reserve_released: sum('released'),
        Opening_balance: money('opening'),
        Payable: money('payable'),
        Paid_out: money('paid_out'),
        Closing_balance: money('closing'),
        Other_movements: money(
          '(closing - opening - ifNull(explained, 0) - ifNull(released, 0) + paid_out)',
        ),
        Balance_gap: money('gap'),
      },
      from: `(SELECT *, opening - lagInFrame(closing, 1, opening) OVER (
          PARTITION BY merchant_id, project_id, currency ORDER BY business_day, statement_id
          ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS gap FROM statements) AS stated
        LEFT JOIN ${settled} AS sums USING statement_id LEFT JOIN ${release} AS releases USING statement_id
        LEFT ANY JOIN (SELECT merchant_id, name AS merchant FROM merchants) AS merchants USING merchant_id
        LEFT ANY JOIN (SELECT project_id, name AS project FROM projects) AS projects USING project_id
        WHERE ${isSeen} AND ${isStated(inputs)} AND ${has('statuses', inputs['statuses'])}
          AND ${has('types', inputs['types'])}
        ORDER BY merchant, project, currency, business_day`,
    }
  },
}

/** `settlement-details`, with the columns of a role. */
export function settlementDetails(role: (typeof ROLES)[number]): Checked {
  return {
    identifier: 'settlement-details',
    roles: [role],
    hasOptional: true,
    compute: ({ seen, isSeen, inputs }): Computed => {
      const statements = `(SELECT * FROM statements WHERE ${isSeen})`
      const { statuses, types } = inputs
      const isWanted = isAsked({ ...(statuses && { statuses }) })
      const settled = (column: string) => `if(type = 'reserve_release', NULL, ${column})`
      const parts = {
        Fee_processor: settled(money('processor_fee')),
        Fee_interchange: settled(money('interchange_fee')),
        Fee_scheme: settled(money('scheme_fee')),
      }
      return {
        columns: {
          Statement_id: 'statement_id',
          Transaction_id: 'transaction_id',
          Merchant_OID: 'client_order_id',
          Type: 'type',
          Amount: settled(money('amount')),
          Currency: 'currency',
          Fx_rate: settled('toString(fx_rate)'),
          Settlement_amount: settled(money('settlement_amount')),
          Settlement_currency: 'settlement_currency',
          Fee_gateway: settled(money('gateway_fee')),
          ...(role === 'operator' && parts),
          Reserve_held: settled(money('reserve_amount')),
          Net_amount: money("if(type = 'reserve_release', reserve_amount, net_amount)"),
          Business_day: printedDay('business_day'),
        },
        from: `(
          SELECT ${DETAILS}, transaction_type AS type FROM ${seen} AS settled
          JOIN (SELECT statement_id, business_day FROM ${statements}) AS stated USING statement_id
          UNION ALL
          SELECT ${DETAILS}, 'reserve_release' AS type FROM ${released(seen, statements)}
        ) WHERE ${isStated(inputs)} AND ${isWanted} AND ${types === undefined ? '1' : isOneOf('type', types)}
        ORDER BY business_day, statement_id, transaction_id, type`,
      }
    },
  }
}
