import * as z from 'zod'
import { type Engine, readRows } from '../../../engine/src/engine/engine.ts'
import { FILTER_COLUMNS } from '../../../ledger/src/model/hierarchy.ts'
import type { Login } from '../kit/sandbox.ts'

// The values in the engine's JSON lines. 64-bit integers and decimals are texts, because the export asks for texts.
const id = z.string()
const version = z.string().transform(BigInt)
const money = z.string().transform(scaled)
const rate = z.string()
const instant = z.string().transform((text) => Date.parse(`${text.replace(' ', 'T')}Z`))
const text = z.string()
const day = z.string()
const number = z.number()

const transaction = z.object({
  transaction_id: id,
  order_id: id,
  original_transaction_id: id.nullable(),
  client_order_id: text,
  transaction_type: text,
  status: text,
  created_at: instant,
  processed_at: instant.nullable(),
  bank_date: day.nullable(),
  settled_at: instant.nullable(),
  row_version: version,
  amount: money,
  currency: text,
  settlement_amount: money.nullable(),
  settlement_currency: text.nullable(),
  fx_rate: rate.nullable(),
  gateway_fee: money.nullable(),
  processor_fee: money.nullable(),
  interchange_fee: money.nullable(),
  scheme_fee: money.nullable(),
  reseller_commission: money.nullable(),
  manager_commission: money.nullable(),
  reserve_amount: money.nullable(),
  reserve_release: day.nullable(),
  net_amount: money.nullable(),
  tariff_id: id.nullable(),
  statement_id: id.nullable(),
  gate_id: id,
  company_id: id,
  project_id: id,
  endpoint_id: id,
  merchant_id: id,
  processor_id: id,
  manager_id: id,
  reseller_id: id.nullable(),
  payment_method: text.nullable(),
  card_brand: text.nullable(),
  bin: text.nullable(),
  last4: text.nullable(),
  card_country: text.nullable(),
  card_ref_id: id.nullable(),
  dest_bin: text.nullable(),
  dest_last4: text.nullable(),
  dest_bank: text.nullable(),
  dest_account_mask: text.nullable(),
  approval_code: text.nullable(),
  rrn: text.nullable(),
  arn: text.nullable(),
  processor_tx_id: text.nullable(),
  response_code: text.nullable(),
  error_code: number.nullable(),
  error_message: text.nullable(),
  decline_group: text.nullable(),
  reason_code: text.nullable(),
  dispute_stage: text.nullable(),
  dispute_due: day.nullable(),
  customer_name: text.nullable(),
  order_description: text.nullable(),
  purpose: text.nullable(),
})

const statement = z.object({
  statement_id: id,
  merchant_id: id,
  project_id: id,
  currency: text,
  business_day: day,
  opening: money,
  payable: money,
  paid_out: money,
  closing: money,
  company_id: id,
  manager_id: id,
  reseller_id: id.nullable(),
})

/**
 * A transaction of the ledger: amounts in ten-thousandths of the major unit, instants in milliseconds since 1970, days
 * such as `2026-10-31`.
 */
export type Transaction = z.output<typeof transaction>

/** A statement of the ledger, in the same units. */
export type Statement = z.output<typeof statement>

const NAMED = ['merchants', 'projects', 'gates', 'processors', 'companies', 'endpoints'] as const

/** Raw rows in their latest version, and the names of their entities. */
export interface Ledger {
  readonly transactions: readonly Transaction[]
  readonly statements: readonly Statement[]
  /** The rows of everybody, if `transactions` and `statements` are those of a login. */
  readonly whole?: Pick<Ledger, 'transactions' | 'statements'>
  /** Whether the filters of the request select a transaction. */
  readonly isChosen: (row: Transaction) => boolean
  /** The name of an entity. */
  readonly nameOf: (table: (typeof NAMED)[number], id: string) => string
}

/** Exports raw rows. This function finds the latest version of a transaction itself, without the engine. */
export async function exportLedger(engine: Engine): Promise<Ledger> {
  const latest = new Map<string, Transaction>()
  for (const row of await exportTable(engine, 'transactions', transaction)) {
    const known = latest.get(row.transaction_id)
    if (!known || known.row_version < row.row_version) latest.set(row.transaction_id, row)
  }
  const names = new Map(await Promise.all(NAMED.map((table) => readNames(engine, table))))
  return {
    transactions: [...latest.values()],
    statements: await exportTable(engine, 'statements', statement),
    isChosen: () => true,
    nameOf: (table, key) => names.get(table)?.get(key) ?? '',
  }
}

/** Whether a transaction is a chargeback in a stage after the first. The first stage has taken the money. */
export function isLaterChargeback({ transaction_type: type, dispute_stage: stage }: Transaction) {
  return type === 'chargeback' && (stage === 'second' || stage === 'arbitration')
}

/** Whether a row is the leg of a transfer that charges a card and has no receiver. */
export function isTransferIn(row: Transaction): boolean {
  const receiver = [row.dest_last4, row.dest_bank, row.dest_account_mask]
  const isCharged = row.last4 !== null || row.card_ref_id !== null
  return row.transaction_type === 'transfer' && isCharged && receiver.every((part) => part === null)
}

/** The rows that a login sees. */
export function seenBy<Row extends Pick<Transaction, `${'manager' | 'reseller' | 'merchant'}_id`>>(
  { role, sees }: Pick<Login, 'role' | 'sees'>,
  rows: readonly Row[],
): readonly Row[] {
  return rows.filter((row) => role === 'operator' || sees.includes(row[`${role}_id`] ?? ''))
}

/** Converts `12.3456` to ten-thousandths. */
export function scaled(decimal: string): bigint {
  const [integer = '', fraction = ''] = decimal.split('.')
  return BigInt(integer + fraction.padEnd(4, '0'))
}

async function exportTable<Shape extends z.ZodObject>(
  engine: Engine,
  table: string,
  row: Shape,
): Promise<readonly z.output<Shape>[]> {
  const sql = `SELECT ${Object.keys(row.shape).join(', ')} FROM ${table}`
  const settings = { output_format_json_quote_decimals: 1 }
  return await readRows(engine, row, { sql, parameters: {}, settings })
}

async function readNames<Table extends (typeof NAMED)[number]>(engine: Engine, table: Table) {
  const key = FILTER_COLUMNS[table]
  const row = z.object({ id: z.string(), name: z.string() })
  const sql = `SELECT ${key} AS id, name FROM ${table}`
  const named = await readRows(engine, row, { sql, parameters: {} })
  return [table, new Map(named.map((one) => [one.id, one.name]))] as const
}
