import { ISO_4217 } from '@counterfoil/protocol'
import { UsageError } from '../usage-error.ts'
import { type CsvFormat, readCsv } from './read-csv.ts'
import { createAmountReader } from './decimals.ts'

/** What a column holds. */
type ColumnRole = 'order' | 'amount' | 'currency' | 'status' | 'type'

/** A CSV file, and what the command line says about it. */
export interface Source extends CsvFormat {
  readonly file: string
  readonly decimalSeparator?: string | undefined
  /** The titles of columns. The command finds the other columns by their usual titles. */
  readonly titles?: { readonly [role in ColumnRole]?: string | undefined }
}

/** What reading needs from its surrounding command. */
export interface ReadContext {
  readonly signal: AbortSignal
  readonly onRead: (bytes: number) => void
}

/** Uses a row. An error gets the file and the line from its caller. */
type UseRow = (fields: readonly string[], line: number) => void

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

const REPLACEMENT = '\u{FFFD}'
const ID_CHARACTERS_MAX = 1000
const ID_FORMULA = /^="(.*)"$/s
const NUMBERED = new Map(ISO_4217.map(({ number, currency }) => [number, currency]))
const CURRENCY = /^[A-Z0-9]{3,10}$/

/** The header of a file, and readers of its values. */
export class Table {
  readonly readAmount: (text: string) => string
  readonly #source: Source
  readonly #titles: readonly string[]
  readonly #used = new Set<string>()
  readonly found = new Set<ColumnRole>()
  rowsWithoutId = 0

  constructor(source: Source, titles: readonly string[], delimiter: string) {
    this.#source = source
    this.#titles = titles.map((title) => title.trim())
    // Programs write a semicolon between fields where a comma separates decimals.
    const likely = delimiter === ';' ? ',' : undefined
    this.readAmount = createAmountReader(source.decimalSeparator, likely)
  }

  /** The titles of the columns that were found, in the order of the file. */
  get columns(): readonly string[] {
    return this.#titles.filter((title) => this.#used.has(title))
  }

  /** Finds the column that holds `role`. Throws `UsageError` for a column that the command line names in vain. */
  find(role: ColumnRole): number | undefined {
    const title = this.#source.titles?.[role]
    const index = this.findTitled(title === undefined ? USUAL_TITLES[role] : [title])
    if (index !== undefined) this.found.add(role)
    if (index !== undefined || title === undefined) return index
    throw new UsageError(`line 1: no column ${title} (${flagOf(role)}); ${this.#all()}`)
  }

  /** Finds the column that holds `role`. Throws `UsageError` if there is none. */
  require(role: ColumnRole, what: string): number {
    const index = this.find(role)
    if (index !== undefined) return index
    const advice = `name the column with ${flagOf(role)}`
    throw new UsageError(`line 1: no column is known to hold ${what}; ${advice}; ${this.#all()}`)
  }

  /** Finds the columns that both files have, and returns their readers. */
  open() {
    const orderAt = this.require('order', 'the order id')
    const currencyAt = this.find('currency')
    return {
      /** Returns `undefined` and counts the row if it has no order id. */
      readId: (fields: readonly string[]) => this.#readId(fields[orderAt] ?? ''),
      readCurrency: (fields: readonly string[]) => {
        return currencyAt === undefined ? '' : readCurrency(fields[currencyAt] ?? '')
      },
    }
  }

  /** Finds the first of some titles. Case, spaces and punctuation do not count. */
  findTitled(titles: readonly string[]): number | undefined {
    const known = this.#titles.map(normalise)
    const index = titles.map((title) => known.indexOf(normalise(title))).find((at) => at !== -1)
    const title = index === undefined ? undefined : this.#titles[index]
    if (title !== undefined) this.#used.add(title)
    return index
  }

  #readId(text: string): string | undefined {
    const id = text.replace(ID_FORMULA, (_, inner: string) => inner.replaceAll('""', '"')).trim()
    if (id === '') this.rowsWithoutId += 1
    if (id.includes(REPLACEMENT)) {
      const { encoding = 'UTF-8' } = this.#source
      throw new UsageError(
        `the order id is not ${encoding} text; name the encoding with --encoding`,
      )
    }
    if (id.length > ID_CHARACTERS_MAX) {
      const advice = `check ${flagOf('order')}`
      throw new UsageError(`the order id has more than ${ID_CHARACTERS_MAX} characters; ${advice}`)
    }
    return id === '' ? undefined : id
  }

  #all(): string {
    return `the columns are ${this.#titles.join(', ')}`
  }
}

/**
 * Reads a CSV file with a header row.
 *
 * @param open Finds the columns and returns the function that uses the rows.
 * @throws {UsageError} which names the file and the line
 */
export async function readTable(
  source: Source,
  { signal, onRead }: ReadContext,
  open: (table: Table) => UseRow,
): Promise<TableSummary> {
  const { file } = source
  let table: Table | undefined
  let use: UseRow | undefined
  let width = 0
  let rows = 0
  let line: number | undefined
  try {
    for await (const [records, found] of readCsv(file, source, signal, onRead)) {
      for (const record of records) {
        if (!table || !use) {
          table = new Table(source, record.fields, found)
          width = record.fields.length
          use = open(table)
          continue
        }
        line = record.line
        if (record.fields.length !== width) {
          const got = record.fields.length
          throw new UsageError(`expected ${width} fields, as in the header row, got ${got}`)
        }
        use(record.fields, line)
        rows += 1
      }
      line = undefined
    }
    if (!table) throw new UsageError('the file is empty')
    const { rowsWithoutId, columns, found } = table
    const [hasCurrency, hasStatus] = [found.has('currency'), found.has('status')]
    return { rows, rowsWithoutId, columns, hasCurrency, hasStatus }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const where = line === undefined ? '' : `line ${line}: `
    const separator = /^line \d+:/.test(where + error.message) ? ', ' : ': '
    throw new UsageError(file + separator + where + error.message, { cause: error })
  }
}

function flagOf(role: ColumnRole): string {
  return `--${role}-column`
}

function readCurrency(text: string): string {
  const code = text.trim().toUpperCase()
  // A spreadsheet drops the zeros of a code such as 036.
  const currency = /^\d{1,3}$/.test(code) ? NUMBERED.get(code.padStart(3, '0')) : code
  if (currency === '' || (currency && CURRENCY.test(currency))) return currency
  throw new UsageError(`expected a currency code such as EUR or 978, got ${JSON.stringify(text)}`)
}

function normalise(title: string): string {
  return title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
