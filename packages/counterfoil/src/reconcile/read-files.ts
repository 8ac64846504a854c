import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { CounterfoilError, readRows, type Row } from '@counterfoil/client'
import { UsageError } from '../command.ts'
import { reasonOf } from '../files.ts'
import type { OrderRow, TransactionRow } from './comparison.ts'
import {
  readAmount,
  readCurrency,
  readId,
  readStatus,
  type Separator,
  SHOP_WORDS,
  type StatusWords,
  TRANSACTION_WORDS,
} from './read-cells.ts'

type ColumnRole = 'order' | 'amount' | 'currency' | 'status' | 'type'

type Columns = { readonly [role in ColumnRole]?: string | undefined }

/** A CSV file, and what the command line says about it. The command finds out what is undefined. */
interface Source {
  readonly file: string
  readonly delimiter?: string | undefined
  /** A label of the Encoding Standard, such as `windows-1251`. */
  readonly encoding?: string | undefined
  readonly decimalSeparator?: Separator | undefined
  readonly titles?: Columns
}

interface ReadContext {
  readonly words: StatusWords
  readonly signal: AbortSignal
  readonly onRead: (bytes: number) => void
}

export type TableSummary = Awaited<ReturnType<typeof readTable>>

/** The usual titles of columns, the best first: those of the gateway's reports, then those of shops. */
const USUAL_TITLES: Readonly<Record<ColumnRole, readonly string[]>> = {
  // biome-ignore format: a list of words
  order: ['Merchant_OID', 'Client order id', 'Merchant order id', 'Order id', 'Order number', 'Order no', 'Order', 'Reference', 'Id'],
  amount: ['Amount', 'Total', 'Order total', 'Grand total', 'Total amount', 'Amount paid'],
  currency: ['Currency', 'Currency code', 'Order currency'],
  status: ['Status', 'Order status', 'Payment status', 'Financial status'],
  type: ['Transaction_type', 'Type'],
}

const KINDS: ReadonlyMap<string, TransactionRow['kind']> = new Map([
  ['reversal', 'refund'],
  ['refund_reversal', 'refund'],
  ['chargeback', 'chargeback'],
])

const OTHER_TYPES = ['payout', 'transfer', 'account_verification', 'pan_eligibility']

const TITLES_SHOWN = 100

/** Reads the orders of a shop. Throws a `UsageError` that names the file and the row. */
export async function readOrders(
  source: Source,
  add: (row: OrderRow) => void,
  context: ReadContext,
): Promise<TableSummary> {
  const words = new Map([...SHOP_WORDS, ...context.words])
  const roles = ['order', 'amount', 'currency', 'status'] as const
  return await readTable(source, roles, context, ({ id, row, currency, amount, status: word }) => {
    const status = word === undefined ? null : readStatus(word, words)
    // The amount of an order that nobody paid is not compared, and may be absent.
    add({ id, row, currency, amount: status === 'unpaid' ? null : amount(), status })
  })
}

/**
 * Reads the gateway's report `transactions-list`, or any file with a row for each transaction. `types` are those whose
 * approved amounts make up the amount of an order. Throws a `UsageError` that names the file and the row.
 */
export async function readReport(
  source: Source,
  types: readonly string[],
  add: (row: TransactionRow) => void,
  context: ReadContext,
): Promise<TableSummary> {
  const words = new Map([...TRANSACTION_WORDS, ...context.words])
  const roles = ['order', 'amount', 'currency', 'status', 'type'] as const
  return await readTable(source, roles, context, ({ amount, status, type, ...common }) => {
    const word = type?.toLowerCase()
    const isPayment = word === undefined || types.includes(word)
    if (!isPayment && OTHER_TYPES.includes(word)) return
    const isApproved = status === undefined || readStatus(status, words) === 'paid'
    const kind = (isApproved && (isPayment ? 'payment' : KINDS.get(word))) || 'event'
    const value = kind === 'event' ? null : amount()
    add({ ...common, kind, amount: word === 'refund_reversal' && value !== null ? -value : value })
  })
}

/** A row that has an order id. A text is undefined if the file has no such column. */
interface TableRow extends Pick<OrderRow, 'id' | 'row' | 'currency'> {
  readonly amount: () => bigint
  readonly status: string | undefined
  readonly type: string | undefined
}

/** Reads a CSV file with a header row, and passes on each row that has an order id. */
async function readTable(
  source: Source,
  roles: readonly ColumnRole[],
  context: ReadContext,
  use: (row: TableRow) => void,
) {
  let [rows, rowsWithoutId] = [0, 0]
  let titles: readonly string[] = []
  let columns: Columns | undefined
  try {
    const csv = await openCsv(source, context)
    // Programs write a semicolon between fields where a comma separates decimals.
    const likely = csv.delimiter === ';' ? ',' : undefined
    for await (const row of csv.rows) {
      if (!columns) {
        titles = Object.keys(row)
        columns = findColumns(source, roles, titles)
      }
      rows += 1
      const { order, amount, currency, status, type } = columns
      const textOf = (title: string | undefined) => {
        return title === undefined ? undefined : String(row[title]).trim()
      }
      const id = readId(textOf(order) ?? '')
      const own = { id, row: rows, currency: readCurrency(textOf(currency) ?? '') }
      const read = () => readAmount(textOf(amount) ?? '', source.decimalSeparator, likely)
      if (id === '') rowsWithoutId += 1
      else use({ ...own, amount: read, status: textOf(status), type: textOf(type) })
    }
  } catch (error) {
    const isOfRow = error instanceof UsageError && rows > 0
    throw nameFile(isOfRow ? new UsageError(`row ${rows}: ${error.message}`) : error, source.file)
  }
  const used = new Set(Object.values(columns ?? {}))
  return {
    name: basename(source.file),
    rows,
    rowsWithoutId,
    columns: titles.filter((title) => used.has(title)),
    hasCurrency: !columns || columns.currency !== undefined,
    hasStatus: !columns || columns.status !== undefined,
  }
}

/** Finds the columns of a file. Case, spaces and punctuation of titles do not count. */
function findColumns(
  source: Source,
  roles: readonly ColumnRole[],
  titles: readonly string[],
): Columns {
  const known = titles.map(normalise)
  const found = roles.map((role): [ColumnRole, string | undefined] => {
    const named = source.titles?.[role]
    const wanted = named === undefined ? USUAL_TITLES[role] : [named]
    const at = wanted.map((title) => known.indexOf(normalise(title))).find((index) => index !== -1)
    if (at === undefined && (named !== undefined || role === 'order' || role === 'amount')) {
      const what = named === undefined ? `known to hold the ${role}` : `titled ${named}`
      const shown = titles.slice(0, TITLES_SHOWN).join(', ')
      throw new UsageError(`no column is ${what} (--${role}-column); the columns are ${shown}`)
    }
    return [role, at === undefined ? undefined : titles[at]]
  })
  return Object.fromEntries(found)
}

function normalise(title: string): string {
  return title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

const PIECE_BYTES = 256 * 1024
const DELIMITERS = [',', ';', '\t', '|'] as const

/** Opens a CSV file with a header row. `onRead` gets the number of bytes of each piece. */
async function openCsv(
  { file, delimiter: known, encoding }: Source,
  { signal, onRead }: ReadContext,
): Promise<{ readonly delimiter: string; readonly rows: AsyncIterable<Row> }> {
  const stream = createReadStream(file, { highWaterMark: PIECE_BYTES, signal })
  const pieces: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]()
  const first = (await pieces.next()).value ?? Buffer.alloc(0)
  const charset = encoding ?? charsetOf(first)
  const delimiter = known ?? findDelimiter(new TextDecoder(charset).decode(first))
  async function* read() {
    for (let piece = first; piece; piece = (await pieces.next()).value) {
      onRead(piece.length)
      yield piece
    }
  }
  return { delimiter, rows: readRows(read(), { delimiter, charset }) }
}

/** Returns an error of a file as a `UsageError` that names the file. Returns every other error unchanged. */
function nameFile(error: unknown, file: string): unknown {
  const fault = (message: string) => new UsageError(`${file}: ${message}`, { cause: error })
  if (!(error instanceof Error)) return error
  if ('syscall' in error) return fault(`cannot read the file: ${reasonOf(error)}`)
  // `new TextDecoder` throws a `RangeError` if it does not know the encoding.
  if (error instanceof RangeError || error instanceof UsageError) return fault(error.message)
  if (!(error instanceof CounterfoilError)) return error
  const advice = 'Save the file as CSV, or name its format with --encoding and --delimiter'
  return fault(`${error.message}. ${advice}`)
}

/** Finds the delimiter of a file: of `,` `;` tab and `|`, the one that its first line has most often outside quotes. */
function findDelimiter(text: string): string {
  const [firstLine = ''] = text.replaceAll(/"[^"]*"/g, '').split('\n', 1)
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

function charsetOf(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex')
  return { fffe: 'utf-16le', feff: 'utf-16be' }[mark] ?? 'utf-8'
}
