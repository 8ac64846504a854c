import { isLaterChargeback, isTransferIn, scaled, type Transaction } from './exported-ledger.ts'
import {
  type Checked,
  compareBy,
  dayAt,
  dayOf,
  groupBy,
  type Inputs,
  isAsked,
  printDay,
  printMoney,
  printRatio,
  printTime,
  sum,
  toFloat,
} from './reports-kit.ts'

const EVERYBODY = ['operator', 'manager', 'reseller', 'merchant'] as const

/** `transactions-list` with every column except the date of the report. */
export const TRANSACTIONS_LIST: Checked = {
  identifier: 'transactions-list',
  roles: EVERYBODY,
  columns: [
    'Merchant_Name',
    'Transaction_id',
    'Merchant_OID',
    'Created_date',
    'Amount',
    'Currency',
    'Transaction_type',
    'Order_description',
    'Order_id',
    'Status',
    'Processed_date',
    'Card_brand',
    'Bin',
    'Last4',
    'Approval_code',
    'RRN',
    'ARN',
    'Processor_transaction_id',
    'Merchant_id',
    'Statement_id',
    'Error_code',
    'Error_message',
    'Dispute_stage',
  ],
  recompute: ({ transactions, nameOf }, inputs) => {
    const asked = transactions.filter((row) => isAsked(row, inputs)).toSorted(byKey)
    const { timezone } = inputs
    return asked.map((row) => ({
      Merchant_Name: nameOf('merchants', row.merchant_id),
      Transaction_id: row.transaction_id,
      Merchant_OID: row.client_order_id,
      Created_date: printTime(row.created_at, timezone),
      Amount: printMoney(row.amount),
      Currency: row.currency,
      Transaction_type: row.transaction_type,
      Order_description: row.order_description ?? '',
      Order_id: row.order_id,
      Status: row.status,
      Processed_date: printTime(row.processed_at, timezone),
      Card_brand: row.card_brand ?? '',
      Bin: row.bin ?? '',
      Last4: row.last4 ?? '',
      Approval_code: row.approval_code ?? '',
      RRN: row.rrn ?? '',
      ARN: row.arn ?? '',
      Processor_transaction_id: row.processor_tx_id ?? '',
      Merchant_id: row.merchant_id,
      Statement_id: row.statement_id ?? '',
      Error_code: String(row.error_code ?? ''),
      Error_message: row.error_message ?? '',
      Dispute_stage: row.dispute_stage ?? '',
    }))
  },
}

export const CHARGEBACK_RATIO: Checked = {
  identifier: 'chargeback-ratio',
  roles: ['operator', 'manager', 'merchant'],
  recompute: ({ transactions, nameOf }, inputs) => {
    const { types = 'sale,capture', statuses = 'approved', timezone, ratioBasis } = inputs
    const { dateFrom = '', dateTo = '' } = inputs
    const isSale = (row: Transaction): boolean => {
      const isCharged = row.last4 !== null || row.card_ref_id !== null
      return (
        isOfType(...types.split(','))(row) && (row.transaction_type !== 'transfer' || isCharged)
      )
    }
    const monthOf = (row: Transaction): string => {
      const own = dayAt(row.created_at, timezone).slice(0, 7)
      return ratioBasis === 'previous-month' && isSale(row) ? nextMonth(own) : own
    }
    const counted = transactions.filter((row) => {
      const first = `${monthOf(row)}-01`
      const isCounted = isSale(row) || isFirstChargeback(row) || isOfType('fraud')(row)
      return (
        statuses.split(',').includes(row.status) && isCounted && first >= dateFrom && first < dateTo
      )
    })
    const ratioGroupOf = (row: Transaction): string => {
      return [row.merchant_id, row.card_brand, monthOf(row)].join()
    }
    const rows = groupBy(counted, ratioGroupOf).flatMap((members) => {
      const [sales, chargebacks] = [isSale, isFirstChargeback].map(
        (is) => members.filter(is).length,
      )
      const ratio = {
        Count_ratio: printRatio(chargebacks ?? 0, sales ?? 0),
        Threshold_state: stateOf(sales ?? 0, chargebacks ?? 0, inputs),
      }
      return groupBy(members, ({ currency }) => currency).map((group) => ({ group, ratio }))
    })
    const order = compareBy<(typeof rows)[number]>(
      ({ group: [row] }) => nameOf('merchants', row.merchant_id),
      ({ group: [row] }) => row.card_brand,
      ({ group: [row] }) => monthOf(row),
      ({ group: [row] }) => row.currency,
    )
    return rows.toSorted(order).map(({ group, ratio }) => {
      const [row] = group
      const [sales, chargebacks] = [group.filter(isSale), group.filter(isFirstChargeback)]
      return {
        Merchant: nameOf('merchants', row.merchant_id),
        Card_brand: row.card_brand ?? '',
        Month: monthOf(row),
        Currency: row.currency,
        Sales_count: String(sales.length),
        Sales_amount: printMoney(amountOf(sales)),
        Cb_count: String(chargebacks.length),
        Cb_amount: printMoney(amountOf(chargebacks)),
        Fraud_count: String(group.filter(isOfType('fraud')).length),
        Count_ratio: ratio.Count_ratio,
        Amount_ratio: printRatio(toFloat(amountOf(chargebacks)), toFloat(amountOf(sales))),
        Threshold_state: ratio.Threshold_state,
      }
    })
  },
}

export const DAILY_TOTALS: Checked = {
  identifier: 'daily-totals',
  roles: EVERYBODY,
  recompute: ({ transactions, nameOf }, inputs) => {
    const by = (inputs['groupBy'] ?? 'merchant,type,status').split(',')
    const { statuses: _, ...ofAnyStatus } = inputs
    const inPeriod = transactions.filter((row) => isAsked(row, ofAnyStatus))
    const asked = inPeriod.filter((row) => isAsked(row, inputs))
    const keysOf = (row: Transaction) => ({
      Day: dayOf(row, inputs) ?? '',
      Merchant: by.includes('merchant') ? nameOf('merchants', row.merchant_id) : '',
      Currency: row.currency,
      Type: by.includes('type') ? row.transaction_type : '',
      Status: by.includes('status') ? row.status : '',
    })
    const groups = groupBy(asked, (row) => Object.values(keysOf(row)).join())
    const rows = groups.map((group) => ({ group, keys: keysOf(group[0]) }))
    const rateGroupOf = (row: Transaction): string => {
      return Object.values({ ...keysOf(row), Status: '' }).join()
    }
    const unfiltered = Map.groupBy(inPeriod, rateGroupOf)
    const order = compareBy<(typeof rows)[number]>(
      ({ keys }) => keys.Day,
      ({ keys }) => keys.Merchant,
      ({ keys }) => keys.Currency,
      ({ keys }) => keys.Type,
      ({ keys }) => keys.Status,
    )
    return rows.toSorted(order).map(({ group, keys }) => {
      const approved = group.filter(isApproved)
      const [paid, refunded, chargedBack] = [
        approved.filter(isOfType('sale', 'capture')),
        approved.filter(isOfType('reversal')),
        approved.filter(isFirstChargeback),
      ].map(amountOf) as [bigint, bigint, bigint]
      const tried = (unfiltered.get(rateGroupOf(group[0])) ?? []).filter(
        isOfType('sale', 'preauth'),
      )
      const decided = tried.filter(({ status }) => status !== 'processing' && status !== 'unknown')
      return {
        ...keys,
        Day: printDay(keys.Day),
        Count: String(group.length),
        Amount: printMoney(amountOf(group)),
        Refunded: printMoney(refunded),
        Net: printMoney(paid - refunded - chargedBack),
        Approval_rate: printRatio(decided.filter(isApproved).length, decided.length),
      }
    })
  },
}

const FEES_OF_MERCHANTS = [
  'Day',
  'Month',
  'Merchant',
  'Project',
  'Tariff',
  'Currency',
  'Turnover',
  'Gateway_fee',
]

export const FEES_AND_COMMISSIONS: Checked = {
  identifier: 'fees-and-commissions',
  roles: EVERYBODY,
  titles: {
    manager: [...FEES_OF_MERCHANTS, 'Reseller_commission', 'Manager_commission'],
    reseller: [...FEES_OF_MERCHANTS, 'Reseller_commission'],
    merchant: FEES_OF_MERCHANTS,
  },
  recompute: ({ transactions, nameOf }, inputs) => {
    const isPerMonth = inputs['per'] === 'month'
    const settled = transactions.filter((row) => {
      return isAsked(row, inputs) && row.settlement_currency !== null
    })
    const keysOf = (row: Transaction) => ({
      since: (dayOf(row, inputs) ?? '').slice(0, isPerMonth ? 7 : 10),
      merchant: nameOf('merchants', row.merchant_id),
      project: nameOf('projects', row.project_id),
      tariff: row.tariff_id,
      currency: row.settlement_currency,
    })
    const groups = groupBy(settled, (row) => Object.values(keysOf(row)).join())
    const rows = groups.map((group) => ({ group, keys: keysOf(group[0]) }))
    const order = compareBy<(typeof rows)[number]>(
      ({ keys }) => keys.since,
      ({ keys }) => keys.merchant,
      ({ keys }) => keys.project,
      ({ keys }) => keys.tariff,
      ({ keys }) => keys.currency,
    )
    return rows.toSorted(order).map(({ group, keys }) => {
      const paid = group.filter((row) => isApproved(row) && isOfType('sale', 'capture')(row))
      const total = (column: MoneyColumn): bigint => sum(group.map((row) => row[column]))
      const shares = [
        total('processor_fee'),
        total('interchange_fee'),
        total('scheme_fee'),
        total('reseller_commission'),
        total('manager_commission'),
      ] as const
      const [processor, interchange, scheme, reseller, manager] = shares
      return {
        Day: isPerMonth ? '' : printDay(keys.since),
        Month: keys.since.slice(0, 7),
        Merchant: keys.merchant,
        Project: keys.project,
        Tariff: keys.tariff ?? '',
        Currency: keys.currency ?? '',
        Turnover: printMoney(sum(paid.map((row) => row.settlement_amount))),
        Gateway_fee: printMoney(total('gateway_fee')),
        Processor_cost: printMoney(processor),
        Interchange: printMoney(interchange),
        Scheme_fee: printMoney(scheme),
        Reseller_commission: printMoney(reseller),
        Manager_commission: printMoney(manager),
        Margin: printMoney(total('gateway_fee') - sum(shares)),
      }
    })
  },
}

type MoneyColumn =
  | 'gateway_fee'
  | 'processor_fee'
  | 'interchange_fee'
  | 'scheme_fee'
  | 'reseller_commission'
  | 'manager_commission'

export const PAYOUTS_TRANSFERS: Checked = {
  identifier: 'payouts-transfers',
  roles: ['operator', 'manager', 'merchant'],
  recompute: ({ transactions }, inputs) => {
    const asked = transactions.filter((row) => isAsked(row, inputs))
    return asked
      .filter(isOfType('payout', 'transfer'))
      .toSorted(byKey)
      .map((row) => ({
        Transaction_id: row.transaction_id,
        Merchant_OID: row.client_order_id,
        Kind: row.transaction_type === 'payout' ? 'payout' : 'transfer leg',
        Direction: isTransferIn(row) ? 'in' : 'out',
        Created: printTime(row.created_at, inputs['timezone']),
        Status: row.status,
        Amount: printMoney(row.amount),
        Amount_out: printMoney(isTransferIn(row) ? null : row.amount),
        Currency: row.currency,
        Fee: printMoney(row.gateway_fee),
        Fee_currency: row.settlement_currency ?? '',
        Receiver_name: (row.customer_name ?? '').replace(/^(.).*$/su, '$1***'),
        Account_or_card:
          row.dest_bin !== null && row.dest_last4 !== null
            ? `${row.dest_bin}******${row.dest_last4}`
            : (row.dest_account_mask ?? ''),
        Bank_name: row.dest_bank ?? '',
        Bank_code: row.dest_bin ?? '',
        Purpose: row.purpose ?? '',
        Processor_tx_id: row.processor_tx_id ?? '',
        Error_code: String(row.error_code ?? ''),
      }))
  },
}

const byKey = compareBy<Transaction>(
  (row) => row.merchant_id,
  (row) => row.created_at,
  (row) => row.transaction_id,
)

const isFirstChargeback = (row: Transaction): boolean => {
  return isOfType('chargeback')(row) && !isLaterChargeback(row)
}

const isApproved = ({ status }: Transaction): boolean => status === 'approved'

function isOfType(...types: readonly string[]): (row: Transaction) => boolean {
  return (row) => types.includes(row.transaction_type)
}

function amountOf(rows: readonly Transaction[]): bigint {
  return sum(rows.map(({ amount }) => amount))
}

function stateOf(sales: number, chargebacks: number, inputs: Inputs): string {
  const { warningRatio = '0.0075', excessiveRatio = '0.01', minChargebacks = '10' } = inputs
  const reaches = (ratio: string): boolean =>
    BigInt(chargebacks) * 10_000n >= BigInt(sales) * scaled(ratio)
  if (chargebacks === 0 || chargebacks < Number(minChargebacks)) return 'ok'
  if (reaches(excessiveRatio)) return 'excessive'
  return reaches(warningRatio) ? 'warning' : 'ok'
}

function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7)
}
