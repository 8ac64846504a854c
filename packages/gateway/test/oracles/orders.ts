import type { Checked } from './reports-kit.ts'
import {
  dayOf,
  IS_FIRST_CHARGEBACK,
  isAsked,
  isOf,
  isOneOf,
  money,
  printedDay,
  ratio,
  time,
} from './ledger-sql.ts'

/** `order-reconciliation`, with the merchant's name. */
export const ORDER_RECONCILIATION: Checked = {
  identifier: 'order-reconciliation',
  roles: ['merchant'],
  hasOptional: true,
  compute: ({ seen, inputs }) => {
    const { clientOrderIds, onlyDifferences, statuses, types, ...period } = inputs
    const at = '(created_at, transaction_id)'
    const isAttempt = isOf('sale', 'preauth')
    const isPaid = `status = 'approved' AND (transaction_type != 'chargeback' OR ${IS_FIRST_CHARGEBACK})`
    const isTaken = `${isPaid} AND ${isOf('sale', 'capture')}`
    const total = (...of: readonly string[]) => `sumIf(amount, ${isPaid} AND ${isOf(...of)})`
    const lastIf = (value: string, condition: string) => {
      return `argMaxIf(ifNull(${value}, ''), ${at}, ${condition})`
    }
    const conditions = [
      'chosen',
      isAsked(period, dayOf(period, 'first')),
      ...(clientOrderIds === undefined ? [] : [isOneOf('client_order_id', clientOrderIds)]),
      ...(onlyDifferences === 'true' ? ['NOT is_plain'] : []),
      ...(statuses === undefined ? [] : [isOneOf('final_status', statuses)]),
      ...(types === undefined ? [] : ['has_type']),
    ]
    return {
      columns: {
        Merchant_OID: 'client_order_id',
        Order_id: 'last_order',
        First_created: time('first', inputs),
        Final_status: 'final_status',
        Sale_amount: money('sold'),
        Captured: money('captured'),
        Refunded: money('refunded'),
        Charged_back: money('charged_back'),
        Net_amount: money('net'),
        Currency: 'currency',
        Attempts: 'attempts',
        Last_transaction_id: 'last_transaction',
        RRN: 'last_rrn',
        Approval_code: 'last_approval',
        Statement_id: 'last_statement',
        Settled_date: 'last_settled',
        Merchant_Name: 'merchant_name',
      },
      from: `(
        SELECT merchant_id, client_order_id, currency, any(merchant) AS merchant_name, max(is_chosen) AS chosen,
          min(created_at) AS first, argMax(order_id, ${at}) AS last_order, argMax(transaction_id, ${at}) AS last_transaction,
          countIf(${isAttempt}) AS attempts, ${lastIf('status', isAttempt)} AS final_status,
          ${lastIf('rrn', isAttempt)} AS last_rrn, ${lastIf('approval_code', isAttempt)} AS last_approval,
          ${lastIf('statement_id', isTaken)} AS last_statement, ${lastIf(time('settled_at', inputs), isTaken)} AS last_settled,
          ${total('sale', 'preauth')} AS sold, ${total('capture')} AS captured, ${total('reversal')} AS refunded,
          ${total('chargeback')} AS charged_back, ${total('sale', 'capture')} - refunded - charged_back AS net,
          attempts = 1 AND final_status = 'approved' AND min(${isOf('sale', 'preauth', 'capture')}) AND net = sold
            AND countIf(${isTaken} AND statement_id IS NULL) = 0 AS is_plain,
          max(${types === undefined ? '1' : isOneOf('transaction_type', types)}) AS has_type
        FROM ${seen} WHERE NOT ${isOf('payout', 'transfer', 'account_verification', 'pan_eligibility')}
        GROUP BY merchant_id, client_order_id, currency
      ) WHERE ${conditions.join(' AND ')} ORDER BY merchant_id, first, client_order_id, currency`,
    }
  },
}

export const DECLINE_ANALYSIS: Checked = {
  identifier: 'decline-analysis',
  roles: ['operator', 'manager', 'merchant'],
  compute: ({ seen, inputs }) => {
    const { statuses = 'declined,filtered,error', types = 'sale,preauth', ...period } = inputs
    const { groupBy = 'decline_group,response_code', minAttempts = '1' } = inputs
    const by = (key: string, column: string, name: string) => {
      return `${groupBy.split(',').includes(key) ? `ifNull(${column}, '')` : "''"} AS of_${name}`
    }
    const attempts = `(
      SELECT *, ${by('decline_group', 'decline_group', 'group')}, ${by('response_code', 'response_code', 'code')},
        ${by('response_code', 'error_message', 'text')}, ${by('card_brand', 'card_brand', 'brand')},
        ${by('issuer_country', 'card_country', 'country')}, ${by('gate', 'gate', 'gate')}
      FROM ${seen} WHERE is_chosen AND ${isAsked({ ...period, types })})`
    const retried = `(SELECT original_transaction_id FROM ${seen}
      WHERE status = 'approved' AND ${isOf('sale', 'preauth')})`
    const place = 'of_brand, of_country, of_gate, currency'
    const reason = ['of_group', 'of_code', 'of_text']
    // An empty value comes last.
    const order = [...reason, 'of_brand', 'of_country'].map((key) => `nullIf(${key}, '')`)
    return {
      columns: {
        Decline_group: 'of_group',
        Response_code: 'of_code',
        Response_text: 'of_text',
        Card_brand: 'of_brand',
        Issuer_country: 'of_country',
        Gate: 'of_gate',
        Attempts: 'tried',
        Declines: 'declines',
        Share: ratio('declines', 'declines_of_currency'),
        Amount: money('total'),
        Currency: 'currency',
        Recovered_by_retry: 'recovered',
      },
      from: `(
        SELECT ${place}, ${reason.join(', ')}, count() AS declines, sum(amount) AS total,
          countIf(transaction_id IN ${retried}) AS recovered,
          sum(count()) OVER (PARTITION BY currency) AS declines_of_currency
        FROM ${attempts} WHERE ${isOneOf('status', statuses)} GROUP BY ${place}, ${reason.join(', ')}
      ) AS groups LEFT JOIN (SELECT ${place}, count() AS tried FROM ${attempts} GROUP BY ${place}) AS places
      USING (${place}) WHERE tried >= ${minAttempts}
      ORDER BY currency, declines DESC, ${order.join(', ')}, of_gate`,
    }
  },
}

/** `refunds-chargebacks`, with every column. */
export const REFUNDS_CHARGEBACKS: Checked = {
  identifier: 'refunds-chargebacks',
  roles: ['operator', 'manager', 'merchant'],
  hasOptional: true,
  compute: ({ seen, inputs }) => ({
    columns: {
      Transaction_id: 'transaction_id',
      Original_transaction_id: 'original_transaction_id',
      Merchant_OID: 'client_order_id',
      Original_date: time('original_at', inputs),
      Event_date: time('created_at', inputs),
      Days_between: `dateDiff('day', ${dayOf(inputs, 'original_at')}, ${dayOf(inputs, 'created_at')})`,
      Type: 'transaction_type',
      Reason_code: 'reason_code',
      Amount: money('amount'),
      Original_amount: money('original_amount'),
      Original_currency: 'original_currency',
      Currency: 'currency',
      Stage: 'dispute_stage',
      Due_date: printedDay('dispute_due'),
      RRN: 'rrn',
      ARN: 'arn',
      Status: 'status',
      Merchant_Name: 'merchant',
    },
    from: `${seen} AS events LEFT JOIN (
        SELECT transaction_id AS original_transaction_id, created_at AS original_at, amount AS original_amount,
          currency AS original_currency FROM ${seen}
      ) AS originals USING original_transaction_id
      WHERE ${isOf('reversal', 'chargeback', 'dispute', 'retrieval', 'fraud')} AND is_chosen AND ${isAsked(inputs)}
      ORDER BY merchant_id, created_at, transaction_id`,
  }),
}
