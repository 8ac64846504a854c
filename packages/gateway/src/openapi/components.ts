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
  PROBLEM_MEDIA_TYPE,
  problemSchema,
  REFUSAL_JSON_MEDIA_TYPE,
  REFUSAL_MEDIA_TYPE,
  REFUSAL_PREFIX,
  reportRequestSchema,
  runPageSchema,
  runSchema,
} from '@counterfoil/protocol'
import { MISTAKES, REFUSAL_STEPS, SIGNATURE_METHODS } from '@counterfoil/signing'
import * as z from 'zod'
import { REFUSAL_EXAMPLE } from './examples.ts'

/** A JSON Schema (2020-12), or another part of the OpenAPI document. */
export type Described = Readonly<Record<string, unknown>>

/** Whether the process runs, or can run reports, and how far each source goes. */
const healthSchema = z.object({
  status: z.enum(['ok', 'not-ready']),
  sources: z.exactOptional(
    z.array(
      z.object({
        source: z.string(),
        syncedAt: z.exactOptional(z.iso.datetime()),
        isFailing: z.boolean(),
      }),
    ),
  ),
})

const mistakeSchema = z.object({
  code: z.enum(MISTAKES.map(({ code }) => code)),
  sentence: z.string(),
  fix: z.string(),
  clause: z.string(),
})

/** Only a sandbox gives more than the message and the id. */
const refusalSchema = z.object({
  message: z.string(),
  requestId: z.string(),
  step: z.exactOptional(z.enum(Object.values(REFUSAL_STEPS))),
  code: z.exactOptional(z.enum(Object.keys(REFUSAL_STEPS))),
  expected: z.exactOptional(z.string()),
  got: z.exactOptional(z.string()),
  diagnosis: z.exactOptional(z.enum(['mistake', 'unknown', 'too-large', 'left-out'])),
  mistake: z.exactOptional(mistakeSchema),
  secondMistake: z.exactOptional(mistakeSchema),
  difference: z.exactOptional(
    z
      .object({
        at: z.int().min(1),
        part: z.enum(['method', 'url', 'parameters']),
        parameter: z.exactOptional(z.string()),
      })
      .meta({ description: 'where the base strings differ first; counted from 1' }),
  ),
  baseString: z.exactOptional(z.string()),
  baseStringCharactersLeftOut: z.exactOptional(z.int().min(0)),
})

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

export type SchemaName = keyof typeof SCHEMAS

/** The headers and trailers of a report. OpenAPI has no place of its own for trailers. */
export const REPORT_HEADERS = headers({
  [HEADERS.requestId]: 'The id of the request, and of its run.',
  'Content-Disposition': 'The name of the file. A report has this header, a refusal has none.',
  'Content-Encoding': 'The compression, if `Accept-Encoding` asks for one.',
  [HEADERS.timezone]: 'The time zone of the report.',
  [HEADERS.newestRow]: 'The time of the newest row in UTC that this login may see, or `none`.',
  [HEADERS.syncedAt]:
    'The ledger has what the databases of the operator had at this time, in UTC; or none. Absent without syncs.',
  Trailer: 'The names of the trailers.',
  [HEADERS.reprDigest]:
    'A trailer: the SHA-256 of all bytes of the body (RFC 9530). A report without it is not complete.',
  [HEADERS.rows]: 'A trailer: the number of data rows, without the header row.',
  [HEADERS.replaced]: 'A trailer: the number of characters that the encoding lacks.',
})

export const OLD_PATH_HEADERS = headers({
  Deprecation: 'Since when the path is old (RFC 9745).',
  Link: 'The new path.',
})

export const SUNSET_HEADER = headers({
  Sunset: 'When the gateway stops serving the path (RFC 8594).',
})

/** The bodies of a refusal: the specification's text, and JSON for callers that ask for its media type. */
export const REFUSAL_CONTENT: Described = {
  [REFUSAL_MEDIA_TYPE]: {
    schema: { type: 'string', pattern: `^${REFUSAL_PREFIX}` },
    example: REFUSAL_EXAMPLE,
  },
  [REFUSAL_JSON_MEDIA_TYPE]: { schema: schemaRef('Refusal') },
}

/** The answers that a path for signed requests shares with the others. */
export const REFUSED = { 403: { $ref: '#/components/responses/Refusal' } }
export const FAILED = { default: { $ref: '#/components/responses/Problem' } }

export function components(): Described {
  return {
    schemas: namedSchemas(),
    responses: {
      Refusal: {
        description: 'The gateway does not accept the signature.',
        content: REFUSAL_CONTENT,
      },
      Problem: {
        description:
          'A problem (RFC 9457). Its `code` says which, and `Retry-After` when to retry.',
        content: { [PROBLEM_MEDIA_TYPE]: { schema: schemaRef('Problem') } },
      },
    },
    securitySchemes: { signature: SIGNATURE },
  }
}

export function schemaRef(name: SchemaName): Described {
  return { $ref: `#/components/schemas/${name}` }
}

/** Returns a response with JSON, and perhaps with other media types. */
export function jsonAnswer(description: string, schema: Described, others?: Described): Described {
  return { description, content: { 'application/json': { schema }, ...others } }
}

// `OAuth` is a registered scheme of the header `Authorization` (RFC 5849, 3.5.1). OpenAPI's type `oauth2` is another
// protocol, and OpenAPI has no type for signatures: a client needs code that signs.
const SIGNATURE = {
  type: 'http',
  scheme: 'OAuth',
  description:
    'An OAuth 1.0 signature (RFC 5849) in the header `Authorization`, with an empty token. Each request needs its own ' +
    `nonce and signature. Methods: ${SIGNATURE_METHODS.join(', ')}. OpenAPI cannot describe a signature, so a generated client must ` +
    'add the code that signs. A JSON body is not part of the signature. `oauth_body_hash` may cover it. The fields of ' +
    'a form and the parameters of the query are part of the signature.',
}

function headers(descriptions: Readonly<Record<string, string>>): Described {
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => {
      return [name, { description, schema: { type: 'string' } }]
    }),
  )
}

/** Returns the JSON Schemas by name. They refer to each other. */
function namedSchemas(): Described {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id })
  const uri = (id: string): string => `#/components/schemas/${id}`
  const { schemas } = z.toJSONSchema(registry, { io: 'input', unrepresentable: 'any', uri })
  const named = Object.entries(schemas).map(([id, schema]) => {
    const { $schema: _dialect, $id: _id, ...described } = schema
    return [id, described]
  })
  return Object.fromEntries(named)
}
