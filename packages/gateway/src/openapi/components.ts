import {
  asyncResponseSchema,
  catalogueParameterSchema,
  catalogueSchema,
  discoverySchema,
  eligibilityResponseSchema,
  errorResponseSchema,
  HEADERS,
  inputParameterSchema,
  jwksSchema,
  problemSchema,
  reportRequestSchema,
  runPageSchema,
  runSchema,
} from '@counterfoil/protocol'
import { METHODS } from '@counterfoil/signing'
import * as z from 'zod'
import { LIMITS } from '@counterfoil/common'
import type { Described } from './form-schema.ts'
import { problemComponents, problemExamples } from './problem-responses.ts'
import { mistakeSchema, refusalSchema } from './refusal-schema.ts'
import { REFUSAL_RESPONSE } from './refusal-response.ts'

/** Whether the process runs, or can run reports. */
const healthSchema = z
  .object({
    status: z.enum(['ok', 'not-ready']),
    sources: z
      .array(
        z.object({
          source: z.string(),
          syncedAt: z.iso.datetime().optional(),
          isFailing: z.boolean(),
        }),
      )
      .optional()
      .meta({ description: 'How far each source goes, if the gateway syncs sources.' }),
  })
  .meta({ description: 'The state of the gateway.' })

const SCHEMAS = {
  ReportRequest: reportRequestSchema,
  InputParameter: inputParameterSchema,
  Problem: problemSchema,
  Refusal: refusalSchema,
  Mistake: mistakeSchema,
  Catalogue: catalogueSchema,
  Parameter: catalogueParameterSchema,
  Run: runSchema,
  RunPage: runPageSchema,
  Discovery: discoverySchema,
  Jwks: jwksSchema,
  Health: healthSchema,
  AsyncResponse: asyncResponseSchema,
  EligibilityResponse: eligibilityResponseSchema,
  ErrorResponse: errorResponseSchema,
}

/** The name of a schema of the document. */
export type SchemaName = keyof typeof SCHEMAS

/** The headers and trailers of answers. OpenAPI has no place of its own for trailers. */
const HEADER_COMPONENTS: Readonly<Record<string, Described>> = {
  [HEADERS.requestId]: header(
    'The id of the request, and of its run.',
    'e85f7d35-1460-4e29-8e63-62abc9c1adf2',
  ),
  [HEADERS.syncedAt]: header(
    'The ledger has what the databases of the operator had at this time, in UTC; or none. Absent without syncs.',
    '2026-10-31T20:25:00Z',
  ),
  [HEADERS.newestRow]: header(
    'How far the ledger goes for this login: the time of its newest row in UTC, or `none`.',
    '2026-10-31T20:23:12Z',
  ),
  [HEADERS.timezone]: header('The time zone of the report.', 'Europe/Berlin'),
  'Content-Disposition': header(
    'The name of the file. A report has this header, a refusal has none.',
    'attachment; filename=october.csv',
  ),
  'Content-Encoding': header('The compression, if `Accept-Encoding` asks for one.', 'gzip'),
  Trailer: header(
    'The names of the trailers.',
    `${HEADERS.reprDigest}, ${HEADERS.rows}, ${HEADERS.replaced}`,
  ),
  [HEADERS.reprDigest]: header(
    'A trailer (RFC 9110, 6.5): the SHA-256 of all bytes of the body (RFC 9530). A report without it is not complete.',
    'sha-256=:OXCZ7ze9nLfVYSqFJm4H8tJ+j4OUgNRZP8aSWJgKkK0=:',
  ),
  [HEADERS.rows]: header('A trailer: the number of data rows, without the header row.', '97'),
  [HEADERS.replaced]: header(
    'A trailer: the number of characters that the encoding lacks, written as `?`.',
    '0',
  ),
  'Retry-After': header(
    'Seconds to wait. Then sign again and retry.',
    String(LIMITS.retryAfterSeconds),
  ),
  Allow: header('The methods that the path accepts.', 'POST'),
  Deprecation: header('Since when the path is old (RFC 9745).', '@1767225600'),
  Sunset: header(
    'When the gateway stops serving the path (RFC 8594).',
    'Sun, 31 Jan 2027 00:00:00 GMT',
  ),
  Link: header('The new path.', '<https://gateway.example/reports>; rel="successor-version"'),
}

/** Returns everything that the paths refer to. */
export function components(): Described {
  return {
    schemas: namedSchemas(),
    headers: HEADER_COMPONENTS,
    responses: { Refusal: REFUSAL_RESPONSE, ...problemComponents() },
    examples: problemExamples(),
    securitySchemes: { signature: SIGNATURE },
  }
}

/** Returns a reference to a schema. */
export function schemaRef(name: SchemaName): Described {
  return { $ref: `#/components/schemas/${name}` }
}

/** The security of a path that takes signed requests. */
export const SECURITY = [{ signature: [] }]

/** A reference to the response to a caller whose signature the gateway does not accept. */
export const REFUSAL_REF = { $ref: '#/components/responses/Refusal' }

/** Returns a response with JSON, and perhaps with other media types. */
export function jsonAnswer(
  description: string,
  json: Described,
  others: Described = {},
): Described {
  return {
    description,
    headers: headerRefs([HEADERS.requestId]),
    content: { 'application/json': json, ...others },
  }
}

/** Returns references to headers. */
export function headerRefs(names: readonly string[]): Described {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

// `OAuth` is a registered scheme of the header `Authorization` (RFC 5849, 3.5.1). OpenAPI's type `oauth2` is another
// protocol, and OpenAPI has no type for signatures: a client needs code that signs.
const SIGNATURE = {
  type: 'http',
  scheme: 'OAuth',
  description:
    'An OAuth 1.0 signature (RFC 5849) in the header `Authorization`, with an empty token. Each request needs its own ' +
    `nonce and signature. Methods: ${Object.keys(METHODS).join(', ')}. OpenAPI cannot describe a signature, so a generated client must ` +
    'add the code that signs. A JSON body is not part of the signature. `oauth_body_hash` may cover it. The fields of ' +
    'a form and the parameters of the query are part of the signature.',
}

function header(description: string, example: string): Described {
  return { description, schema: { type: 'string' }, example }
}

/** Returns the JSON Schemas by name. They refer to each other. */
function namedSchemas(): Readonly<Record<string, Described>> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
  })
  const named = Object.entries(schemas).map(([id, schema]) => {
    const { $schema: _dialect, $id: _id, ...described } = schema
    return [id, described]
  })
  return Object.fromEntries(named)
}
