import type { Checked } from './reports-kit.ts'
import {
  dayOf,
  IS_FIRST_CHARGEBACK,
  IS_TRANSFER_IN,
  isAsked,
  isOf,
  isOneOf,
  money,
  printedDay,
  ratio,
  time,
} from './ledger-sql.ts'

const EVERYBODY = ['operator', 'manager', 'reseller', 'merchant'] as const

/** `transactions-list` with every column except the date of the report. */
export const TRANSACTIONS_LIST: Checked = {
  identifier: 'transactions-list',
  roles: EVERYBODY,
  hasOptional: true,
  compute: ({ seen, inputs }) => ({
    columns: {
      Merchant_Name: 'merchant',
      Transaction_id: 'transaction_id',
      Merchant_OID: 'client_order_id',
      Created_date: time('created_at', inputs),
      Amount: money('amount'),
      Currency: 'currency',
      Transaction_type: 'transaction_type',
      Order_description: 'order_description',
      Order_id: 'order_id',
      Status: 'status',
      Processed_date: time('processed_at', inputs),
      Card_brand: 'card_brand',
      Bin: 'bin',
      Last4: 'last4',
      Approval_code: 'approval_code',
      RRN: 'rrn',
      ARN: 'arn',
      Processor_transaction_id: 'processor_tx_id',
      Merchant_id: 'merchant_id',
      Statement_id: 'statement_id',
      Error_code: 'error_code',
      Error_message: 'error_message',
      Dispute_stage: 'dispute_stage',
    },
    from: `${seen} WHERE is_chosen AND ${isAsked(inputs)}
      ORDER BY merchant_id, created_at, transaction_id`,
  }),
}

export const CHARGEBACK_RATIO: Checked = {
  identifier: 'chargeback-ratio',
  roles: ['operator', 'manager', 'merchant'],
  compute: ({ seen, inputs }) => {
    const { types = 'sale,capture', statuses = 'approved', ratioBasis } = inputs
    const { warningRatio = '0.0075', excessiveRatio = '0.01', minChargebacks = '10' } = inputs
    const { dateFrom = '', dateTo = '' } = inputs
    const isCharged = 'coalesce(last4, card_ref_id) IS NOT NULL'
    const isSale = `(${isOneOf('transaction_type', types)}
      AND (transaction_type != 'transfer' OR ${isCharged}))`
    const later = ratioBasis === 'previous-month' ? `if(${isSale}, 1, 0)` : '0'
    const reaches = (share: string) => `chargebacks >= sales * toDecimal64('${share}', 4)`
    return {
      columns: {
        Merchant: 'merchant',
        Card_brand: 'card_brand',
        Month: "formatDateTime(month, '%Y-%m')",
        Currency: 'currency',
        Sales_count: 'sales_count',
        Sales_amount: money('sales_amount'),
        Cb_count: 'cb_count',
        Cb_amount: money('cb_amount'),
        Fraud_count: 'fraud_count',
        Count_ratio: ratio('chargebacks', 'sales'),
        Amount_ratio: ratio('cb_amount', 'sales_amount'),
        Threshold_state: `multiIf(chargebacks = 0 OR chargebacks < ${minChargebacks}, 'ok',
          ${reaches(excessiveRatio)}, 'excessive', ${reaches(warningRatio)}, 'warning', 'ok')`,
      },
      from: `(
        SELECT merchant_id, any(merchant) AS merchant, card_brand, month, currency,
          countIf(is_sale) AS sales_count, sumIf(amount, is_sale) AS sales_amount,
          countIf(is_cb) AS cb_count, sumIf(amount, is_cb) AS cb_amount, countIf(is_fraud) AS fraud_count,
          sum(countIf(is_sale)) OVER one AS sales, sum(countIf(is_cb)) OVER one AS chargebacks
        FROM (SELECT *, ${isSale} AS is_sale, ${IS_FIRST_CHARGEBACK} AS is_cb, ${isOf('fraud')} AS is_fraud,
            toStartOfMonth(${dayOf(inputs)}) + toIntervalMonth(${later}) AS month FROM ${seen})
        WHERE ${isOneOf('status', statuses)} AND (is_sale OR is_cb OR is_fraud)
          AND month >= '${dateFrom}' AND month < '${dateTo}'
        GROUP BY merchant_id, card_brand, month, currency
        WINDOW one AS (PARTITION BY merchant_id, card_brand, month)
      ) ORDER BY merchant, card_brand, month, currency`,
    }
  },
}

export const DAILY_TOTALS: Checked = {
  identifier: 'daily-totals',
  roles: EVERYBODY,
  compute: ({ seen, inputs }) => {
    const { groupBy = 'merchant,type,status', statuses, ...ofAnyStatus } = inputs
    const by = (key: string, column = key) => {
      return `${groupBy.split(',').includes(key) ? column : "''"} AS of_${key}`
    }
    const rows = `(SELECT *, ${dayOf(inputs)} AS day, ${by('merchant')}, ${by('type', 'transaction_type')},
      ${by('status')} FROM ${seen} WHERE ${isAsked(ofAnyStatus)})`
    const keys = 'day, of_merchant, currency, of_type'
    const isTried = isOf('sale', 'preauth')
    const isDecided = "status NOT IN ('processing', 'unknown')"
    return {
      columns: {
        Day: printedDay('day'),
        Merchant: 'of_merchant',
        Currency: 'currency',
        Type: 'of_type',
        Status: 'of_status',
        Count: 'count',
        Amount: money('total'),
        Refunded: money('refunded'),
        Net: money('paid - refunded - charged_back'),
        Approval_rate: ratio('approved', 'decided'),
      },
      from: `(
        SELECT ${keys}, of_status, count() AS count, sum(amount) AS total,
          sumIf(amount, status = 'approved' AND ${isOf('sale', 'capture')}) AS paid,
          sumIf(amount, status = 'approved' AND ${isOf('reversal')}) AS refunded,
          sumIf(amount, status = 'approved' AND ${IS_FIRST_CHARGEBACK}) AS charged_back
        FROM ${rows} WHERE ${statuses === undefined ? '1' : isOneOf('status', statuses)}
        GROUP BY ${keys}, of_status
      ) AS groups LEFT JOIN (
        SELECT ${keys}, countIf(${isTried} AND status = 'approved') AS approved,
          countIf(${isTried} AND ${isDecided}) AS decided FROM ${rows} GROUP BY ${keys}
      ) AS rates USING (${keys}) ORDER BY ${keys}, of_status`,
    }
  },
}

const FEES_OF_MERCHANTS = 'Day Month Merchant Project Tariff Currency Turnover Gateway_fee'.split(
  ' ',
)

export const FEES_AND_COMMISSIONS: Checked = {
  identifier: 'fees-and-commissions',
  roles: EVERYBODY,
  titles: {
    manager: [...FEES_OF_MERCHANTS, 'Reseller_commission', 'Manager_commission'],
    reseller: [...FEES_OF_MERCHANTS, 'Reseller_commission'],
    merchant: FEES_OF_MERCHANTS,
  },
  compute: ({ seen, inputs }) => {
    const isPerMonth = inputs['per'] === 'month'
    const day = dayOf(inputs)
    const total = (column: string) => `sum(ifNull(${column}, 0))`
    const costs = ['processor_fee', 'interchange_fee', 'scheme_fee']
    const shares = [...costs, 'reseller_commission', 'manager_commission'].map(total)
    const isPaid = `status = 'approved' AND ${isOf('sale', 'capture')}`
    return {
      columns: {
        Day: isPerMonth ? "''" : printedDay('since'),
        Month: "formatDateTime(since, '%Y-%m')",
        Merchant: 'merchant',
        Project: 'project',
        Tariff: 'tariff_id',
        Currency: 'settlement_currency',
        Turnover: money(`sumIf(ifNull(settlement_amount, 0), ${isPaid})`),
        Gateway_fee: money(total('gateway_fee')),
        Processor_cost: money(total('processor_fee')),
        Interchange: money(total('interchange_fee')),
        Scheme_fee: money(total('scheme_fee')),
        Reseller_commission: money(total('reseller_commission')),
        Manager_commission: money(total('manager_commission')),
        Margin: money(`(${[total('gateway_fee'), ...shares].join(' - ')})`),
      },
      from: `(SELECT *, ${isPerMonth ? `toStartOfMonth(${day})` : day} AS since FROM ${seen})
        WHERE ${isAsked(inputs)} AND settlement_currency IS NOT NULL
        GROUP BY since, merchant, project, tariff_id, settlement_currency
        ORDER BY since, merchant, project, tariff_id, settlement_currency`,
    }
  },
}

export const PAYOUTS_TRANSFERS: Checked = {
  identifier: 'payouts-transfers',
  roles: ['operator', 'manager', 'merchant'],
  compute: ({ seen, inputs }) => ({
    columns: {
      Transaction_id: 'transaction_id',
      Merchant_OID: 'client_order_id',
      Kind: "if(transaction_type = 'payout', 'payout', 'transfer leg')",
      Direction: `if(${IS_TRANSFER_IN}, 'in', 'out')`,
      Created: time('created_at', inputs),
      Status: 'status',
      Amount: money('amount'),
      Amount_out: `if(${IS_TRANSFER_IN}, NULL, ${money('amount')})`,
      Currency: 'currency',
      Fee: money('gateway_fee'),
      Fee_currency: 'settlement_currency',
      Receiver_name:
        "if(empty(customer_name), '', concat(substringUTF8(customer_name, 1, 1), '***'))",
      Account_or_card: "ifNull(concat(dest_bin, '******', dest_last4), dest_account_mask)",
      Bank_name: 'dest_bank',
      Bank_code: 'dest_bin',
      Purpose: 'purpose',
      Processor_tx_id: 'processor_tx_id',
      Error_code: 'error_code',
    },
    from: `${seen} WHERE ${isAsked(inputs)} AND ${isOf('payout', 'transfer')}
      ORDER BY merchant_id, created_at, transaction_id`,
  }),
}
