import * as z from 'zod/mini'
import { reportRequestSchema } from './report-request.ts'
import { describe, optional, strictObject, texts, type ValueOf } from './schema.ts'

/** The media type of a signed manifest: a JWS in its compact form (RFC 7515). */
export const JWS_MEDIA_TYPE = 'application/jose'

const runFileSchema = z.object({
  name: z.string(),
  contentType: z.string(),
  contentCoding: z.exactOptional(z.string()),
  rows: describe(z.int(), 'data rows, without the header row'),
  bytes: describe(z.int(), 'the bytes that were sent, in their content coding'),
  sha256: describe(
    z.string().check(z.regex(/^[A-Za-z0-9+/]{43}=$/)),
    'the SHA-256 of these bytes, in base64',
  ),
  replaced: describe(z.int(), 'characters that the encoding lacks, written as "?"'),
})

const controlTotalSchema = z.object({
  column: describe(z.string(), 'the title of the column in the file'),
  currency: z.string(),
  amounts: describe(z.int(), 'how many rows have an amount of this currency in this column'),
  sum: describe(z.string(), 'a decimal number'),
})

/** The record of one report. */
export const runSchema = describe(
  z.object({
    runId: describe(z.string(), 'the id of the request, as in the header Counterfoil-Request-Id'),
    login: z.string(),
    viewSession: optional(
      z.string(),
      'the id of the view session, if the request has no signature',
    ),
    reportIdentifier: z.string(),
    reportName: z.string(),
    outcome: describe(
      z.enum(['complete', 'aborted', 'cut']),
      'aborted: the caller left or was too slow; cut: the gateway or the engine failed',
    ),
    startedAt: describe(z.string(), 'an instant in UTC'),
    endedAt: describe(z.string(), 'an instant in UTC'),
    durationMs: z.int(),
    // Missing if it is very long or holds a card number.
    request: z.exactOptional(reportRequestSchema),
    parameters: optional(z.looseObject({}), 'the parameters, with times in UTC'),
    timezone: z.string(),
    scope: describe(
      z.object({ role: z.string(), sees: texts() }),
      'what the login could see; an operator sees everything',
    ),
    file: optional(runFileSchema, 'only if the report is complete'),
    controlTotals: optional(
      z.array(controlTotalSchema),
      'by column and currency; if the request asked for them and the report is complete',
    ),
    schemaHash: z.string(),
    newestRow: describe(z.string(), 'when the newest row that the login may see was created'),
    syncedAt: optional(
      z.string(),
      'the ledger has what the databases of the operator had at this time, in UTC; or none',
    ),
    changedSince: optional(z.string(), 'the cursor of the request'),
    cursor: optional(z.string(), 'the value of changedSince for the next request'),
  }),
  'The record of one report.',
)

/** A page of runs, the newest first. */
export const runPageSchema = describe(
  z.object({
    runs: z.array(runSchema),
    next: optional(z.string(), 'the value of "before" for the next page'),
  }),
  'A page of runs, the newest first.',
)

/** The record of one report: who asked for what, and what the gateway sent. It is also called the report's manifest. */
export type Run = ValueOf<typeof runSchema>

/** The file of a complete run. */
export type RunFile = ValueOf<typeof runFileSchema>

/** The sum of a column's amounts of one currency. */
export type ControlTotal = ValueOf<typeof controlTotalSchema>

/** A page of runs, the newest first. */
export type RunPage = ValueOf<typeof runPageSchema>

const RUNS_LISTED_MAX = 1_000

const LIMIT_EXPECTED = `a whole number from 1 to ${RUNS_LISTED_MAX}`

/** Creates the schema of an id, whose faults say what is expected. */
function id(expected: string): z.ZodMiniString<string> {
  return z.string(expected).check(z.regex(/^[\w-]{1,100}$/, expected))
}

const QUERY = {
  // The query of a URL has texts only.
  limit: z._default(
    z.pipe(
      z.transform((value) => {
        return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
      }),
      z.int(LIMIT_EXPECTED).check(z.gte(1, LIMIT_EXPECTED), z.lte(RUNS_LISTED_MAX, LIMIT_EXPECTED)),
    ),
    100,
  ),
  before: z.optional(id('the "next" of an earlier answer, or the id of a run of yours')),
  reportIdentifier: z.optional(id('the identifier of a report')),
}
const QUERY_NAMES = Object.keys(QUERY).join(', ')

/** What a request for the list of runs may say: in the query of a GET, or in the body of a POST. */
export const runsQuerySchema = strictObject(
  QUERY,
  `an object of ${QUERY_NAMES}`,
  `one of ${QUERY_NAMES}`,
)

const EMPTY_EXPECTED = 'an empty object, or no body'

/** What a request without members says. */
export const emptySchema = strictObject({}, EMPTY_EXPECTED, EMPTY_EXPECTED)
