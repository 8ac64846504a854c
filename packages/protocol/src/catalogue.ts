import * as z from 'zod/mini'
import { FILTER_NAMES, forEachFilter, INPUT_TYPES, reportRequestSchema } from './report-request.ts'
import { describe, optional, texts, type ValueOf } from './schema.ts'

/** The schema of a parameter of a report, or of how a report is written. */
export const catalogueParameterSchema = describe(
  z.object({
    name: z.string(),
    title: z.string(),
    type: z.enum(INPUT_TYPES),
    required: z.boolean(),
    list: describe(z.boolean(), 'whether the value is a list, separated by commas'),
    default: z.exactOptional(z.string()),
    allowed: optional(z.union([texts(), z.string()]), 'the values that the parameter accepts'),
    lengthMax: z.exactOptional(z.int()),
    formats: optional(texts(), 'the formats that a configuration parameter applies to'),
  }),
  'A parameter of a report.',
)

const columnSchema = z.object({
  name: z.string(),
  kind: describe(z.string(), 'text, id, money, rate, integer, date, time or ratio'),
  about: z.string(),
  currencyColumn: optional(z.string(), 'the column with the currency of an amount'),
  optional: describe(z.boolean(), 'whether a report has the column only if the request names it'),
})

const balancesSchema = describe(
  z.object({ opening: z.string(), closing: z.string(), account: texts() }),
  'the opening balance is in the first row of an account, the closing balance in its last',
)

const totalsSchema = describe(
  z.object({ by: texts(), columns: texts(), balances: z.exactOptional(balancesSchema) }),
  'the columns that separate the sums, and the columns to sum',
)

const reportSchema = z.object({
  reportIdentifier: z.string(),
  title: z.string(),
  description: z.string(),
  note: optional(z.string(), 'what a reader must know before using the figures'),
  formats: texts(),
  encodings: texts(),
  columns: z.array(columnSchema),
  schemaHash: describe(z.string(), 'changes when the columns that the login may see change'),
  inputReportParameters: z.array(catalogueParameterSchema),
  configurationReportParameters: z.array(catalogueParameterSchema),
  filters: z.array(z.enum(FILTER_NAMES)),
  currencyFilter: describe(
    z.enum(['transaction', 'settlement']),
    'the currency that the filter currencies goes by',
  ),
  totals: z.exactOptional(totalsSchema),
  example: reportRequestSchema,
})

const filterValuesSchema = z.object({
  values: z.array(
    z.object({
      id: z.string(),
      name: describe(z.string(), 'empty if the ledger has no name; for a currency its code'),
    }),
  ),
  more: describe(z.boolean(), 'whether there are more values than these'),
})

/** The schema of what a login may request. */
export const catalogueSchema = describe(
  z.object({
    login: z.string(),
    role: describe(z.string(), 'operator, manager, reseller or merchant'),
    newestRows: optional(
      z.object({ transactions: z.string(), statements: z.string() }),
      'how far the ledger goes for the login',
    ),
    syncedAt: optional(
      z.string(),
      'the ledger has what the databases of the operator had at this time, in UTC; or none',
    ),
    reports: z.array(reportSchema),
    filterValues: optional(
      z.object(forEachFilter(() => z.exactOptional(filterValuesSchema))),
      'what you may filter by, with names',
    ),
    endpoints: optional(
      z.array(z.object({ id: z.string(), currency: z.string() })),
      'the endpoints that a merchant may use in the operations of a sandbox',
    ),
  }),
  'What a login may request.',
)

/** What a login may ask for. */
export type Catalogue = ValueOf<typeof catalogueSchema>

/** The values of a filter, ordered by name. */
export type FilterValues = ValueOf<typeof filterValuesSchema>

/** A report that a login may ask for. */
export type CatalogueReport = ValueOf<typeof reportSchema>

/** A column of a report. */
export type CatalogueColumn = ValueOf<typeof columnSchema>

/** A parameter of a report, or of how it is written. */
export type CatalogueParameter = ValueOf<typeof catalogueParameterSchema>
