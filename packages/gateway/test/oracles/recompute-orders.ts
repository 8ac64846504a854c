import { isLaterChargeback, type Transaction } from './exported-ledger.ts'
import {
  type Checked,
  compareBy,
  dayAt,
  groupBy,
  type Inputs,
  isAsked,
  printDay,
  printMoney,
  printRatio,
  printTime,
  type ReportRow,
  sum,
} from './reports-kit.ts'

/** `order-reconciliation`, with the merchant's name. */
export const ORDER_RECONCILIATION: Checked = {
  identifier: 'order-reconciliation',
  roles: ['merchant'],
  columns: [
    'Merchant_OID',
    'Order_id',
    'First_created',
    'Final_status',
    'Sale_amount',
    'Captured',
    'Refunded',
    'Charged_back',
    'Net_amount',
    'Currency',
    'Attempts',
    'Last_transaction_id',
    'RRN',
    'Approval_code',
    'Statement_id',
    'Settled_date',
    'Merchant_Name',
  ],
  recompute: ({ transactions, isChosen, nameOf }, inputs) => {
    const { timezone } = inputs
    const orders = groupBy(
      transactions.filter((row) => !isOf(row, ...NOT_OF_ORDERS)).toSorted(byTime),
      ({ merchant_id: merchant, client_order_id: order, currency }) =>
        [merchant, order, currency].join(),
    )
    return orders
      .filter((events) => events.some(isChosen))
      .map((events) => ({ events, figures: figuresOf(events) }))
      .filter(({ events, figures }) => isOrderAsked(events, figures, inputs))
      .toSorted(
        compareBy(
          ({ events: [first] }) => first.merchant_id,
          ({ events: [first] }) => first.created_at,
          ({ events: [first] }) => first.client_order_id,
          ({ events: [first] }) => first.currency,
        ),
      )
      .map(({ events, figures }): ReportRow => {
        const [first] = events
        const { attempts, taken, sale, captured, refunded, chargedBack, net } = figures
        const [last, attempt, settled] = [events.at(-1), attempts.at(-1), taken.at(-1)]
        return {
          Merchant_OID: first.client_order_id,
          Order_id: String(last?.order_id),
          First_created: printTime(first.created_at, timezone),
          Final_status: attempt?.status ?? '',
          Sale_amount: printMoney(sale),
          Captured: printMoney(captured),
          Refunded: printMoney(refunded),
          Charged_back: printMoney(chargedBack),
          Net_amount: printMoney(net),
          Currency: first.currency,
          Attempts: String(attempts.length),
          Last_transaction_id: String(last?.transaction_id),
          RRN: attempt?.rrn ?? '',
          Approval_code: attempt?.approval_code ?? '',
          Statement_id: settled?.statement_id ?? '',
          Settled_date: printTime(settled?.settled_at ?? null, timezone),
          Merchant_Name: nameOf('merchants', first.merchant_id),
        }
      })
  },
}

const NOT_OF_ORDERS = ['payout', 'transfer', 'account_verification', 'pan_eligibility']

type Events = readonly [first: Transaction, ...rest: Transaction[]]

function figuresOf(events: Events) {
  const approved = events.filter((row) => row.status === 'approved' && !isLaterChargeback(row))
  const amountOf = (...types: readonly string[]): bigint => {
    return sum(approved.filter((row) => isOf(row, ...types)).map(({ amount }) => amount))
  }
  const [refunded, chargedBack] = [amountOf('reversal'), amountOf('chargeback')]
  return {
    attempts: events.filter((row) => isOf(row, 'sale', 'preauth')),
    taken: approved.filter((row) => isOf(row, 'sale', 'capture')),
    sale: amountOf('sale', 'preauth'),
    captured: amountOf('capture'),
    refunded,
    chargedBack,
    net: amountOf('sale', 'capture') - refunded - chargedBack,
  }
}

function isOrderAsked(
  events: Events,
  { attempts, taken, sale, net }: ReturnType<typeof figuresOf>,
  inputs: Inputs,
): boolean {
  const { clientOrderIds, onlyDifferences, statuses, types, ...period } = inputs
  const [first] = events
  const isPlain =
    attempts.length === 1 &&
    attempts[0]?.status === 'approved' &&
    events.every((row) => isOf(row, 'sale', 'preauth', 'capture')) &&
    net === sale &&
    taken.every((row) => row.statement_id !== null)
  return (
    isAsked(first, period) &&
    (clientOrderIds?.split(',').includes(first.client_order_id) ?? true) &&
    (onlyDifferences !== 'true' || !isPlain) &&
    (statuses?.split(',').includes(attempts.at(-1)?.status ?? '') ?? true) &&
    (types === undefined || events.some((row) => isOf(row, ...types.split(','))))
  )
}

export const DECLINE_ANALYSIS: Checked = {
  identifier: 'decline-analysis',
  roles: ['operator', 'manager', 'merchant'],
  recompute: ({ transactions, isChosen, nameOf }, inputs) => {
    const { statuses = 'declined,filtered,error', types = 'sale,preauth', ...period } = inputs
    const by = (inputs['groupBy'] ?? 'decline_group,response_code').split(',')
    const attempts = transactions.filter((row) => {
      return isChosen(row) && isAsked(row, { ...period, types })
    })
    const declines = attempts.filter(({ status }) => statuses.split(',').includes(status))
    const retried = new Set(
      transactions
        .filter((row) => row.status === 'approved' && isOf(row, 'sale', 'preauth'))
        .map((row) => row.original_transaction_id),
    )
    const placeOf = (row: Transaction) => ({
      Card_brand: (by.includes('card_brand') && row.card_brand) || '',
      Issuer_country: (by.includes('issuer_country') && row.card_country) || '',
      Gate: by.includes('gate') ? nameOf('gates', row.gate_id) : '',
      Currency: row.currency,
    })
    const reasonOf = (row: Transaction) => ({
      Decline_group: (by.includes('decline_group') && row.decline_group) || '',
      Response_code: (by.includes('response_code') && row.response_code) || '',
      Response_text: (by.includes('response_code') && row.error_message) || '',
    })
    const keyOf = (row: Transaction): string => {
      return Object.values({ ...reasonOf(row), ...placeOf(row) }).join()
    }
    const attemptsAt = Map.groupBy(attempts, (row) => Object.values(placeOf(row)).join())
    const ofCurrency = Map.groupBy(declines, ({ currency }) => currency)
    return groupBy(declines, keyOf)
      .map((group) => {
        const [first] = group
        const place = placeOf(first)
        return {
          count: group.length,
          tried: attemptsAt.get(Object.values(place).join())?.length ?? 0,
          ...reasonOf(first),
          ...place,
          Share: printRatio(group.length, ofCurrency.get(first.currency)?.length ?? 0),
          Amount: printMoney(sum(group.map(({ amount }) => amount))),
          recovered: group.filter((row) => retried.has(row.transaction_id)).length,
        }
      })
      .filter(({ tried }) => tried >= Number(inputs['minAttempts'] ?? 1))
      .toSorted(
        compareBy(
          (row) => row.Currency,
          ({ count }) => -count,
          // An empty value comes last.
          (row) => row.Decline_group || null,
          (row) => row.Response_code || null,
          (row) => row.Response_text || null,
          (row) => row.Card_brand || null,
          (row) => row.Issuer_country || null,
          (row) => row.Gate,
        ),
      )
      .map(
        (row): ReportRow => ({
          Decline_group: row.Decline_group,
          Response_code: row.Response_code,
          Response_text: row.Response_text,
          Card_brand: row.Card_brand,
          Issuer_country: row.Issuer_country,
          Gate: row.Gate,
          Attempts: String(row.tried),
          Declines: String(row.count),
          Share: row.Share,
          Amount: row.Amount,
          Currency: row.Currency,
          Recovered_by_retry: String(row.recovered),
        }),
      )
  },
}

/** `refunds-chargebacks`, with every column. */
export const REFUNDS_CHARGEBACKS: Checked = {
  identifier: 'refunds-chargebacks',
  roles: ['operator', 'manager', 'merchant'],
  columns: [
    'Transaction_id',
    'Original_transaction_id',
    'Merchant_OID',
    'Original_date',
    'Event_date',
    'Days_between',
    'Type',
    'Reason_code',
    'Amount',
    'Original_amount',
    'Original_currency',
    'Currency',
    'Stage',
    'Due_date',
    'RRN',
    'ARN',
    'Status',
    'Merchant_Name',
  ],
  recompute: ({ transactions, isChosen, nameOf }, inputs) => {
    const { timezone } = inputs
    const known = new Map(transactions.map((row) => [row.transaction_id, row]))
    return transactions
      .filter((row) => isOf(row, 'reversal', 'chargeback', 'dispute', 'retrieval', 'fraud'))
      .filter((row) => isChosen(row) && isComingBackAsked(row, inputs))
      .toSorted(byKey)
      .map((row) => {
        const original = known.get(row.original_transaction_id ?? '')
        return {
          Transaction_id: row.transaction_id,
          Original_transaction_id: row.original_transaction_id ?? '',
          Merchant_OID: row.client_order_id,
          Original_date: printTime(original?.created_at ?? null, timezone),
          Event_date: printTime(row.created_at, timezone),
          Days_between: original ? String(daysBetween(original, row, timezone)) : '',
          Type: row.transaction_type,
          Reason_code: row.reason_code ?? '',
          Amount: printMoney(row.amount),
          Original_amount: printMoney(original?.amount ?? null),
          Original_currency: original?.currency ?? '',
          Currency: row.currency,
          Stage: row.dispute_stage ?? '',
          Due_date: printDay(row.dispute_due),
          RRN: row.rrn ?? '',
          ARN: row.arn ?? '',
          Status: row.status,
          Merchant_Name: nameOf('merchants', row.merchant_id),
        }
      })
  },
}

function isComingBackAsked(row: Transaction, inputs: Inputs): boolean {
  if (inputs['dateAxis'] !== 'due') return isAsked(row, inputs)
  // The kit knows the axes that all reports have. `due` is a plain day like `bank`, so this treats it as `bank`.
  return isAsked({ ...row, bank_date: row.dispute_due }, { ...inputs, dateAxis: 'bank' })
}

function daysBetween(from: Transaction, to: Transaction, timezone: string | undefined): number {
  const [first, last] = [from, to].map((row) => Date.parse(dayAt(row.created_at, timezone)))
  return ((last ?? 0) - (first ?? 0)) / 86_400_000
}

const byTime = compareBy<Transaction>(
  (row) => row.created_at,
  (row) => row.transaction_id,
)

const byKey = compareBy<Transaction>(
  (row) => row.merchant_id,
  (row) => row.created_at,
  (row) => row.transaction_id,
)

function isOf(row: Transaction, ...types: readonly string[]): boolean {
  return types.includes(row.transaction_type)
}
