import {
  type AsyncResponse,
  type Catalogue,
  type CatalogueParameter,
  type EligibilityResponse,
  type ErrorResponse,
  FILTER_NAMES,
  INPUT_TYPES,
  OPERATION_ERRORS,
  type Problem,
} from '@counterfoil/protocol'
import * as z from 'zod'
import { COLUMN_KINDS } from '../column-kinds.ts'
import { PROBLEMS } from '../errors.ts'
import { FORMAT_NAMES } from '../formats/formats.ts'
import { LIMITS } from '../limits.ts'
import { envelopeSchema } from '../report/envelope-schema.ts'
import { ROLES } from '../store/store.ts'

// The types of the protocol check these schemas. The tests check them against real answers.

const texts = z.array(z.string())

/** A problem (RFC 9457). */
export const problemSchema = z
  .object({
    type: about(z.string(), 'urn:counterfoil:problem: and the code'),
    title: about(z.string(), 'the kind of problem, as a sentence'),
    status: z.int(),
    code: about(z.enum(Object.keys(PROBLEMS)), 'the stable code: decide by it'),
    detail: about(z.string(), 'what was expected, for people'),
    requestId: about(z.string(), 'the id by which the operator finds the request'),
    errors: z.exactOptional(
      z.array(
        z.object({
          pointer: about(z.string(), 'the field, as a JSON pointer (RFC 6901) into the body'),
          expected: z.string(),
        }),
      ),
    ),
  })
  .meta({ description: 'A problem (RFC 9457).' }) satisfies z.ZodType<Problem>

/** A parameter of a report, or of how it is written. */
export const parameterSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    type: z.enum(INPUT_TYPES),
    required: z.boolean(),
    list: about(z.boolean(), 'whether the value is a list, separated by commas'),
    default: z.exactOptional(z.string()),
    allowed: z.exactOptional(z.union([texts, z.string()])),
    lengthMax: z.exactOptional(z.int()),
    formats: z.exactOptional(about(texts, 'the formats that a configuration parameter applies to')),
  })
  .meta({ description: 'A parameter of a report.' }) satisfies z.ZodType<CatalogueParameter>

const reportSchema = z.object({
  reportIdentifier: z.string(),
  title: z.string(),
  description: z.string(),
  note: z.exactOptional(about(z.string(), 'what a reader must know before using the figures')),
  formats: z.array(z.enum(FORMAT_NAMES)),
  encodings: texts,
  columns: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(COLUMN_KINDS),
      about: z.string(),
      currencyColumn: z.exactOptional(
        about(z.string(), 'the column with the currency of an amount'),
      ),
      optional: about(z.boolean(), 'whether a report has the column only if the request names it'),
    }),
  ),
  schemaHash: about(z.string(), 'changes when the columns that the login may see change'),
  inputReportParameters: z.array(parameterSchema),
  configurationReportParameters: z.array(parameterSchema),
  filters: z.array(z.enum(FILTER_NAMES)),
  currencyFilter: z.enum(['transaction', 'settlement']),
  totals: z.exactOptional(
    z.object({
      by: texts,
      columns: texts,
      balances: z.exactOptional(
        about(
          z.object({ opening: z.string(), closing: z.string(), account: texts }),
          'the columns of balances: opening in the first row of an account, closing in its last',
        ),
      ),
    }),
  ),
  example: envelopeSchema,
})

const filterValuesSchema = z.object({
  values: z.array(
    z.object({
      id: z.string(),
      name: about(z.string(), 'empty if the ledger has no name; for a currency its code'),
    }),
  ),
  more: about(
    z.boolean(),
    `whether there are more than these ${LIMITS.filterValuesListedMax} values`,
  ),
})

/** What a login may request. */
export const catalogueSchema = z
  .object({
    login: z.string(),
    role: z.enum(ROLES),
    newestRows: z.exactOptional(z.object({ transactions: z.string(), statements: z.string() })),
    reports: z.array(reportSchema),
    filterValues: z.exactOptional(
      z.partialRecord(z.enum(FILTER_NAMES), filterValuesSchema).meta({
        description: 'what you may filter by, with names',
      }),
    ),
    endpoints: z.exactOptional(
      z.array(z.object({ id: z.string(), currency: z.string() })).meta({
        description: 'the endpoints that a merchant may use in the operations of a sandbox',
      }),
    ),
  })
  .meta({ description: 'What a login may request.' }) satisfies z.ZodType<
  // A parsed example has `undefined` for its missing members.
  Omit<Catalogue, 'reports'>
>

/** The public description of a gateway. */
export const discoverySchema = z
  .object({
    environment: z.enum(['sandbox', 'production']),
    reportPath: z.string(),
    reportUrl: z.string(),
    refusalStatus: z.union([z.literal(200), z.literal(403)]),
    cataloguePath: z.string(),
    catalogueUrl: z.string(),
    runsUrl: z.string(),
    jwksUrl: z.string(),
    consoleUrl: z.exactOptional(z.string()),
    viewSessionUrl: z.exactOptional(z.string()),
    openApiUrl: z.string(),
    signatureMethods: texts,
    formats: texts,
    encodings: texts,
    operationUrls: z.exactOptional(
      z.record(z.string(), z.string()).meta({ description: 'append the id of an endpoint' }),
    ),
  })
  .meta({ description: 'The public description of a gateway.' })

/** The public keys of signed manifests. */
export const jwksSchema = z
  .object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string(), alg: z.string() })) })
  .meta({ description: 'A JSON Web Key Set (RFC 7517).' })

/** Whether the process runs, or can run reports. */
export const healthSchema = z
  .object({ status: z.enum(['ok', 'not-ready']) })
  .meta({ description: 'The state of the gateway.' })

const serialNumber = about(z.string(), 'the id of this answer; a repeated operation gets it again')
const orderIds = { 'client-order-id': z.string(), 'merchant-order-id': z.string() }

/** A transfer or a payout is accepted and not yet done. */
export const asyncResponseSchema = z
  .object({
    type: z.literal('async-response'),
    'serial-number': serialNumber,
    ...orderIds,
    'transaction-id': z.exactOptional(z.string()),
    'payout-id': z.exactOptional(z.string()),
  })
  .meta({ description: 'The gateway accepted the operation.' }) satisfies z.ZodType<AsyncResponse>

/** Whether a card can send money. */
export const eligibilityResponseSchema = z
  .object({
    type: z.literal('pan-eligibility-response'),
    'serial-number': serialNumber,
    ...orderIds,
    status: z.enum(['approved', 'error', 'unknown']),
    'can-send': z.exactOptional(z.boolean()),
    bin: z.exactOptional(z.string()),
    'last-four-digits': z.exactOptional(z.string()),
  })
  .meta({ description: 'Whether a card can send.' }) satisfies z.ZodType<EligibilityResponse>

/** The gateway did not accept an operation. */
export const errorResponseSchema = z
  .object({
    type: z.enum(['validation-error', 'error']),
    'serial-number': serialNumber,
    'error-code': z.enum(Object.values(OPERATION_ERRORS).map(({ code }) => String(code))),
    'error-message': z.string(),
  })
  .meta({
    description: 'The gateway did not accept the operation.',
  }) satisfies z.ZodType<ErrorResponse>

/** Adds a description to a schema. */
function about<Schema extends z.ZodType>(schema: Schema, description: string): Schema {
  return schema.meta({ description })
}
