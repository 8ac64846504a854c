import type { PdfImage } from '../pdf/document/read-image.ts'
import type { ColumnKind, EngineChunk, Settings, ValueStyle } from '@counterfoil/engine'

/** A column of a file. */
export interface FileColumn {
  readonly title: string
  readonly kind: ColumnKind
}

/** A column of a query. */
export interface SelectedColumn {
  readonly kind: ColumnKind
  readonly sql: string
  /** The SQL of an amount's currency, if the report file says which column holds it. */
  readonly currencySql?: string | undefined
}

/** A column that a layout reads. The file need not show it. */
export type LayoutColumn = FileColumn & SelectedColumn

/** An entry of statements: sales, fees, a payment. */
export interface StatementEntry {
  readonly title: string
  readonly count: LayoutColumn | undefined
  readonly fees: LayoutColumn | undefined
  readonly amount: LayoutColumn
  /** Whether the amount adds to the balance. */
  readonly isCredit: boolean
}

/** The columns of a report whose rows are statements of accounts. */
export interface StatementLayout {
  readonly columns: Readonly<Record<StatementRole, LayoutColumn>>
  readonly entries: readonly StatementEntry[]
}

/** What the columns of a statement say. */
export const STATEMENT_ROLES = [
  'holder',
  'holderId',
  'account',
  'accountId',
  'currency',
  'statement',
  'day',
  'opening',
  'closing',
] as const

/** What a column says in a statement. */
export type StatementRole = (typeof STATEMENT_ROLES)[number]

/** How a file is written, apart from its values. Each format reads the members that concern it. */
export interface FileStyle {
  /** A name of the format's `encodings`. */
  readonly encoding: string
  /** One ASCII character. */
  readonly delimiter: string
  /** Whether a row of titles comes first. */
  readonly header: boolean
  /** Whether every field is quoted, or only the fields that need quotes. */
  readonly quoteAll: boolean
  readonly lineEnd: '\r\n' | '\n'
  readonly byteOrderMark: boolean
  /** Whether a report is refused if its encoding lacks one of its characters. Otherwise the character becomes `?`. */
  readonly refuseUnencodable: boolean
  /** The paper of pages. */
  readonly paper: Paper
}

/** The sizes of paper. */
export const PAPERS = ['A4', 'Letter'] as const

/** A size of paper. */
export type Paper = (typeof PAPERS)[number]

/** What a file can say about its report. */
export interface ReportAbout {
  /** The title of the report file. */
  readonly title: string
  /** What a reader must know before using the figures, if the report file says something. */
  readonly note: string | undefined
  /** The name that the request gives to the report. */
  readonly name: string
  readonly identifier: string
  readonly login: string
  readonly timezone: string
  /** The values of the report's parameters: instants in UTC. */
  readonly parameters: Readonly<
    Record<string, string | number | boolean | readonly (string | number)[]>
  >
  /** The filters that the request sets. */
  readonly filters: Readonly<Record<string, readonly string[]>>
  /** The hash of the report's columns for this role, as in the catalogue. */
  readonly schemaHash: string
  /** The time of the report, in milliseconds since 1970. */
  readonly madeAt: number
  /** The id of the report's run, which is also the id of its request. */
  readonly runId: string
}

/** The columns by which a report can be summed, and the columns to sum. Without them, nothing is summed. */
export interface FileSums {
  readonly by: readonly (FileColumn & SelectedColumn)[]
  readonly columns: readonly (FileColumn & SelectedColumn)[]
  /**
   * The columns that identify an account, if the rows are statements. The last two of `columns` are then the opening and
   * the closing balance, which are never summed over the days of an account: see `Totals`.
   */
  readonly accounts?: readonly SelectedColumn[] | undefined
  /** The sums over all rows of a currency, if the report file has such sums. */
  readonly byCurrency?: CurrencySums | undefined
}

/** Sums over all rows of a currency. */
export interface CurrencySums {
  /** The place of the currency in `by`. */
  readonly currency: number
  /** The places of the summed columns in `columns`. */
  readonly columns: readonly number[]
}

/** What the operator sets for formats: the member `formats` of the configuration. */
export interface FormatSettings {
  readonly pdf: {
    /** A report with more rows gets no PDF. */
    readonly rowsMax: number
    /** A PDF whose tables have more rows is not tagged. */
    readonly taggedRowsMax: number
    /** What stands above statements. */
    readonly letterhead?: Letterhead | undefined
  }
}

/** The operator's name and address, with a logo. */
export interface Letterhead {
  readonly name: string
  readonly address: readonly string[]
  readonly logo?: PdfImage | undefined
}

/** A report, as its format gets it. */
export interface ReportFile {
  readonly columns: readonly FileColumn[]
  readonly values: ValueStyle
  readonly style: FileStyle
  readonly sums: FileSums | undefined
  /** The layout of a statement, if the report file has one and the request names no columns. */
  readonly statement?: StatementLayout | undefined
  /** How many fraction digits each currency of the ledger has, if the format needs them. */
  readonly exponents?: ReadonlyMap<string, number> | undefined
  readonly settings?: FormatSettings | undefined
  readonly about: ReportAbout
}

/** A piece of a file. */
export interface FilePiece extends EngineChunk {
  /** How many characters of this piece became `?`, because the encoding lacks them. None by default. */
  readonly replaced?: number
}

/** A query that runs before the report's query. It has the same rows. */
export interface FileCheck {
  /** Returns the SQL of a row's text. */
  readonly select: (columns: readonly SelectedColumn[]) => string
  /** Reads the texts. Throws a problem if the report must be refused. */
  readonly read: (chunks: AsyncIterable<EngineChunk>) => Promise<void>
}

/** How the file of one report is made: what the engine selects, and what becomes of its bytes. */
export type FilePlan = TextFilePlan | EngineFilePlan

/** The file is made of a text for each row. */
export interface TextFilePlan extends FilePlanBase {
  readonly rows: 'texts'
  /** Returns the SQL of a row's text. */
  readonly select: (columns: readonly SelectedColumn[]) => string
}

/** The file is made of files that the engine writes. */
export interface EngineFilePlan extends FilePlanBase {
  readonly rows: 'Parquet'
  /** Returns the SQL of the columns. */
  readonly select: (columns: readonly SelectedColumn[]) => readonly string[]
}

interface FilePlanBase {
  /** The value of `Content-Type`. */
  readonly contentType: string
  /** Settings of the query that this format needs. */
  readonly settings?: Settings
  /** Makes the pieces of the file from the engine's chunks. Each row counts in one piece. */
  readonly write: (chunks: AsyncIterable<EngineChunk>) => AsyncIterable<FilePiece>
  /** Decides before the first byte whether the report can be sent. */
  readonly check?: FileCheck | undefined
}

/**
 * A file format of reports. There are two kinds. The engine writes the rows of one kind, and `write` only adds what
 * comes before and after them. For the other kind, the engine sends records (`records.ts`), and `write` makes the rows.
 */
export interface Format {
  /** The extension of file names. */
  readonly extension: string
  /** The media type of its files, without parameters. */
  readonly mediaType: string
  /** The character encodings that a request may name, in upper case. */
  readonly encodings: readonly string[]
  /** The configuration parameters that have a meaning in this format. `timezone`, `totals` and `controlTotals` always have one. */
  readonly parameters: readonly string[]
  /** Whether people read the file. A document shows each column that separates its totals, and has one format of days. */
  readonly isDocument?: true
  /** Whether the plan needs the `exponents` of the ledger's currencies. */
  readonly needsExponents?: true
  readonly plan: (file: ReportFile) => FilePlan
}
