import * as z from 'zod/mini'
import { strictObject } from './schema.ts'

/** The most runs of a page. */
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
