import type { FilterName, InputType, ReportRequest } from './report-request.ts'

/** What a login may ask for. */
export interface Catalogue {
  readonly login: string
  readonly role: string
  /** How far the ledger goes for the login. */
  readonly newestRows?: { readonly transactions: string; readonly statements: string }
  readonly reports: readonly CatalogueReport[]
  /** What the login may filter by, with names. Ids of the past are missing. Filters accept them too. */
  readonly filterValues?: { readonly [name in FilterName]?: FilterValues }
  /** The endpoints that a merchant may use in the operations of a sandbox. */
  readonly endpoints?: readonly { readonly id: string; readonly currency: string }[]
}

/** The values of a filter, ordered by name. */
export interface FilterValues {
  /** The name is empty if the ledger has none. The name of a currency is its code. */
  readonly values: readonly { readonly id: string; readonly name: string }[]
  /** Whether there are more values than these. */
  readonly more: boolean
}

/** A report that a login may ask for. */
export interface CatalogueReport {
  readonly reportIdentifier: string
  readonly title: string
  readonly description: string
  /** What a reader must know before using the figures. */
  readonly note?: string
  readonly formats: readonly string[]
  readonly encodings: readonly string[]
  readonly columns: readonly CatalogueColumn[]
  /** Changes when the columns that the login may see change. */
  readonly schemaHash: string
  readonly inputReportParameters: readonly CatalogueParameter[]
  readonly configurationReportParameters: readonly CatalogueParameter[]
  readonly filters: readonly FilterName[]
  /** The currency that the filter `currencies` goes by. */
  readonly currencyFilter: 'transaction' | 'settlement'
  readonly totals?: CatalogueTotals
  /** A request that is ready to be sent. */
  readonly example: ReportRequest
}

/** How a report is totalled: the columns that separate the sums, and the columns to sum. */
export interface CatalogueTotals {
  readonly by: readonly string[]
  readonly columns: readonly string[]
  /** The columns of balances, if the rows are statements of accounts. A sum of balances over days means nothing. */
  readonly balances?: CatalogueBalances
}

/**
 * The columns of an account's balances. The opening balance of a period is that of the account's first row, and the
 * closing balance that of its last row. Balances of several accounts in one currency can be summed.
 */
export interface CatalogueBalances {
  readonly opening: string
  readonly closing: string
  /** The columns that identify an account and its currency. Rows of an account follow each other. */
  readonly account: readonly string[]
}

/** A column of a report. */
export interface CatalogueColumn {
  readonly name: string
  /** What the column holds: `text`, `id`, `money`, `rate`, `integer`, `date`, `time` or `ratio`. */
  readonly kind: string
  readonly about: string
  /** For an amount: the column of its currency. A request that names columns must name that column too. */
  readonly currencyColumn?: string
  /** Whether the report has the column only if the request names it. */
  readonly optional: boolean
}

/** A parameter of a report, or of how it is written. */
export interface CatalogueParameter {
  readonly name: string
  readonly title: string
  readonly type: InputType
  readonly required: boolean
  readonly list: boolean
  readonly default?: string
  /** The values that the parameter accepts. */
  readonly allowed?: readonly string[] | string
  readonly lengthMax?: number
  /** The formats that a configuration parameter applies to. */
  readonly formats?: readonly string[]
}
