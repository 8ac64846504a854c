import type { Row } from '@counterfoil/client'
import { ISO_4217 } from '@counterfoil/protocol'
import { UsageError } from '../usage-error.ts'
import { createAmountReader, type Separator } from './amounts.ts'
import type { OrderRow, TransactionRow } from './comparison.ts'
import { readStatus, SHOP_WORDS, type StatusWords, TRANSACTION_WORDS } from './order-statuses.ts'
import { type CsvFile, nameFile, openCsv } from './read-csv.ts'

/** What a column holds. */
type ColumnRole = 'order' | 'amount' | 'currency' | 'status' | 'type'

/** A CSV file, and what the command line says about it. */
export interface Source extends CsvFile {
  readonly decimalSeparator?: Separator | undefined
  /** The titles of columns. The command finds the other columns by their usual titles. */
  readonly titles?: { readonly [role in ColumnRole]?: string | undefined }
}

/** What reading needs from its command. */
interface ReadContext {
  /** What the user's own words for statuses mean. */
  readonly words: StatusWords
  readonly signal: AbortSignal
  readonly onRead: (bytes: number) => void
}

/** What was read of a file. */
export interface TableSummary {
  readonly rows: number
  readonly rowsWithoutId: number
  /** The titles of the columns that were used. */
  readonly columns: readonly string[]
  readonly hasCurrency: boolean
  readonly hasStatus: boolean
}

/** The usual titles of columns, the best first: those of the gateway's reports, then those of shops. */
const USUAL_TITLES: Readonly<Record<ColumnRole, readonly string[]>> = {
  // biome-ignore format: a list of words
  order: ['Merchant_OID', 'Client order id', 'Merchant order id', 'Order id', 'Order number', 'Order no', 'Order', 'Reference', 'Id'],
  amount: ['Amount', 'Total', 'Order total', 'Grand total', 'Total amount', 'Amount paid'],
  currency: ['Currency', 'Currency code', 'Order currency'],
  status: ['Status', 'Order status', 'Payment status', 'Financial status'],
  type: ['Transaction_type', 'Type'],
}

/** The columns by which `order-reconciliation` is known. It has one row for each order. */
const RECONCILIATION = ['Net_amount', 'Refunded', 'Charged_back'] as const

const KINDS: ReadonlyMap<string, TransactionRow['kind']> = new Map([
  ['reversal', 'refund'],
  ['chargeback', 'chargeback'],
])

/** Types that belong to no order of a shop. */
const OTHER_TYPES = ['payout', 'transfer', 'account_verification', 'pan_eligibility']

const TITLES_SHOWN = 100
const ID_FORMULA = /^="(.*)"$/s
const NUMBERED = new Map(ISO_4217.map(({ number, currency }) => [number, currency]))

/**
 * Reads the orders of a shop. Without a column for the status, an order has none.
 *
 * @throws {UsageError} which names the file and the row
 */
export async function readOrders(
  source: Source,
  add: (row: OrderRow) => void,
  context: ReadContext,
): Promise<TableSummary> {
  const words = new Map([...SHOP_WORDS, ...context.words])
  return await readTable(source, context, (table) => {
    const amountOf = table.amount(table.require('amount'))
    const statusTitle = table.find('status')
    return (row, common) => {
      const status = statusTitle === undefined ? null : readStatus(textOf(row, statusTitle), words)
      // The amount of an order that nobody paid is not compared, and may be absent.
      add({ ...common, amount: status === 'unpaid' ? null : amountOf(row), status })
    }
  })
}

/**
 * Reads the gateway's report: `transactions-list`, `order-reconciliation`, or any file with a row for each transaction.
 *
 * @param types the types whose approved amounts make up the amount of an order
 * @throws {UsageError} which names the file and the row
 */
export async function readReport(
  source: Source,
  types: readonly string[],
  add: (row: TransactionRow) => void,
  context: ReadContext,
): Promise<TableSummary> {
  const words = new Map([...TRANSACTION_WORDS, ...context.words])
  return await readTable(source, context, (table) => {
    const [net = '', refunded = '', disputed = ''] = table.findAll(RECONCILIATION) ?? []
    if (net !== '') {
      const [netOf, refundOf] = [table.amount(net), table.amount(refunded)]
      const chargebackOf = table.amount(disputed)
      table.hasStatus = true
      return (row, common) => {
        const [refund, chargeback] = [refundOf(row), chargebackOf(row)]
        const parts = [
          { kind: 'payment', amount: netOf(row) + refund + chargeback },
          { kind: 'refund', amount: refund },
          { kind: 'chargeback', amount: chargeback },
        ] as const
        const moved = parts.filter(({ amount }) => amount !== 0n)
        if (moved.length === 0) add({ ...common, kind: 'event', amount: null })
        for (const part of moved) add({ ...common, ...part })
      }
    }
    const amountOf = table.amount(table.require('amount'))
    const [typeTitle, statusTitle] = [table.find('type'), table.find('status')]
    return (row, common) => {
      const type = typeTitle === undefined ? undefined : textOf(row, typeTitle).toLowerCase()
      const isPayment = type === undefined || types.includes(type)
      if (!isPayment && OTHER_TYPES.includes(type)) return
      const isApproved =
        statusTitle === undefined || readStatus(textOf(row, statusTitle), words) === 'paid'
      const kind = (isApproved && (isPayment ? 'payment' : KINDS.get(type))) || 'event'
      add({ ...common, kind, amount: kind === 'event' ? null : amountOf(row) })
    }
  })
}

/** The header of a file, and what was found in it. */
class Table {
  readonly #source: Source
  readonly #titles: readonly string[]
  readonly #used = new Set<string>()
  readonly #readAmount: (text: string) => bigint
  hasCurrency = false
  hasStatus = false

  constructor(source: Source, titles: readonly string[], delimiter: string) {
    this.#source = source
    this.#titles = titles
    // Programs write a semicolon between fields where a comma separates decimals.
    const likely = delimiter === ';' ? ',' : undefined
    this.#readAmount = createAmountReader(source.decimalSeparator, likely)
  }

  /** The titles of the columns that were found, in the order of the file. */
  get columns(): readonly string[] {
    return this.#titles.filter((title) => this.#used.has(title))
  }

  /** Finds the column that holds `role`. Throws `UsageError` for a column that the command line names in vain. */
  find(role: ColumnRole): string | undefined {
    const named = this.#source.titles?.[role]
    const title = this.#findTitled(named === undefined ? USUAL_TITLES[role] : [named])
    if (title === undefined && named !== undefined) throw this.#missing(role, `titled ${named}`)
    if (title !== undefined && role === 'currency') this.hasCurrency = true
    if (title !== undefined && role === 'status') this.hasStatus = true
    return title
  }

  /** Finds the column that holds `role`. Throws `UsageError` if there is none. */
  require(role: 'order' | 'amount'): string {
    const title = this.find(role)
    if (title === undefined) throw this.#missing(role, `known to hold the ${role}`)
    return title
  }

  /** Finds columns by their titles. Returns nothing if one is missing. */
  findAll(titles: readonly string[]): readonly string[] | undefined {
    const found = titles.flatMap((title) => this.#findTitled([title]) ?? [])
    return found.length === titles.length ? found : undefined
  }

  /** Finds the first of some titles. Case, spaces and punctuation do not count. */
  #findTitled(wanted: readonly string[]): string | undefined {
    const known = this.#titles.map(normalise)
    const index = wanted.map((title) => known.indexOf(normalise(title))).find((at) => at !== -1)
    const title = index === undefined ? undefined : this.#titles[index]
    if (title !== undefined) this.#used.add(title)
    return title
  }

  /** Returns the reader of a column of amounts. */
  readonly amount = (title: string) => {
    return (row: Row): bigint => this.#readAmount(textOf(row, title))
  }

  #missing(role: ColumnRole, what: string): UsageError {
    const titles = this.#titles.slice(0, TITLES_SHOWN).join(', ')
    return new UsageError(`no column is ${what} (--${role}-column); the columns are ${titles}`)
  }
}

/** What every row has. */
type Common = Pick<OrderRow, 'id' | 'row' | 'currency'>

/**
 * Reads a CSV file with a header row.
 *
 * @param open Finds the columns and returns the function that uses the rows that have an order id.
 */
async function readTable(
  source: Source,
  { signal, onRead }: ReadContext,
  open: (table: Table) => (row: Row, common: Common) => void,
): Promise<TableSummary> {
  let [rows, rowsWithoutId] = [0, 0]
  let table: Table | undefined
  let useRow: ((row: Row, at: number) => void) | undefined
  try {
    const csv = await openCsv(source, signal, onRead)
    for await (const row of csv.rows) {
      if (!table) {
        table = new Table(source, Object.keys(row), csv.delimiter)
        const [orderTitle, currencyTitle] = [table.require('order'), table.find('currency')]
        const use = open(table)
        useRow = (each, at) => {
          const id = readId(textOf(each, orderTitle))
          const currency =
            currencyTitle === undefined ? '' : readCurrency(textOf(each, currencyTitle))
          if (id === '') rowsWithoutId += 1
          else use(each, { id, row: at, currency })
        }
      }
      rows += 1
      useRow?.(row, rows)
    }
    const { columns = [], hasCurrency = true, hasStatus = true } = table ?? {}
    return { rows, rowsWithoutId, columns, hasCurrency, hasStatus }
  } catch (error) {
    const isOfRow = error instanceof UsageError && rows > 0
    throw nameFile(isOfRow ? new UsageError(`row ${rows}: ${error.message}`) : error, source.file)
  }
}

function textOf(row: Row, title: string): string {
  return String(row[title]).trim()
}

/** Reads an order id, also one that the gateway wrote as a formula for a spreadsheet. */
function readId(text: string): string {
  return text.replace(ID_FORMULA, (_, inner: string) => inner.replaceAll('""', '"')).trim()
}

function readCurrency(text: string): string {
  const code = text.toUpperCase()
  // A spreadsheet drops the zeros of a code such as 036.
  const currency = /^\d{1,3}$/.test(code) ? NUMBERED.get(code.padStart(3, '0')) : code
  if (currency !== undefined && /^(?:[A-Z0-9]{3,10})?$/.test(currency)) return currency
  throw new UsageError(`expected a currency code such as EUR or 978, got ${JSON.stringify(text)}`)
}

function normalise(title: string): string {
  return title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
