import {
  HEADERS,
  JWS_MEDIA_TYPE,
  type Operation,
  OPERATIONS,
  operationPath,
  runsQuerySchema,
} from '@counterfoil/protocol'
import * as z from 'zod'
import { FORMATS } from '../formats/formats.ts'
import { LIMITS } from '../limits.ts'
import { headerRefs, schemaRef } from './components.ts'
import * as examples from './examples.ts'
import { type Described, formSchema } from './form-schema.ts'
import { REFUSAL_CONTENT } from './refusal-response.ts'
import { codesByStatus, problemResponses, PROBLEMS_OF, responseOf } from './problem-responses.ts'

const SECURITY = [{ signature: [] }]
const REFUSAL_REF = { $ref: '#/components/responses/Refusal' }
const NOTHING = { type: 'object', additionalProperties: false }

/** What the paths of reports depend on. */
export interface ReportPath {
  /** Unique in the document. */
  readonly operationId: string
  readonly refusalStatus: 200 | 403
  /** The headers of an old path. */
  readonly oldHeaders?: readonly string[]
}

/** Describes a path that answers with reports. */
export function reportPath({ operationId, refusalStatus, oldHeaders }: ReportPath): Described {
  const always = [HEADERS.requestId, ...(oldHeaders ?? [])]
  const own = [
    'Content-Disposition',
    'Content-Encoding',
    HEADERS.timezone,
    HEADERS.newestRow,
    'Trailer',
    HEADERS.reprDigest,
    HEADERS.rows,
    HEADERS.replaced,
  ]
  const reports = Object.values(FORMATS).map(({ mediaType }) => [mediaType, { schema: {} }])
  const report = {
    description:
      'The report. The gateway cuts the connection if the report fails after its first byte.' +
      (refusalStatus === 200 ? ' **Or a refusal**, as `text/plain`: check the media type.' : ''),
    headers: headerRefs([...always, ...own]),
    content: {
      ...Object.fromEntries(reports),
      [FORMATS.CSV.mediaType]: { schema: { type: 'string' }, example: examples.CSV_EXAMPLE },
      ...(refusalStatus === 200 && REFUSAL_CONTENT),
    },
  }
  return {
    post: {
      operationId,
      summary: 'Request a report',
      ...(oldHeaders && { deprecated: true }),
      security: SECURITY,
      requestBody: {
        required: true,
        description: `At most ${LIMITS.bodyBytesMax} bytes. The catalogue has a request for each report that you may request.`,
        content: {
          'application/json': {
            schema: schemaRef('ReportRequest'),
            examples: named(examples.REPORT_REQUESTS),
          },
        },
      },
      responses: {
        200: report,
        ...(refusalStatus === 403 && { 403: REFUSAL_REF }),
        ...problemResponses(PROBLEMS_OF.report),
      },
    },
  }
}

/** Describes the path of the catalogue. */
export function cataloguePath(): Described {
  const answer = { schema: schemaRef('Catalogue'), example: examples.CATALOGUE }
  return {
    post: {
      operationId: 'readCatalogue',
      summary: 'List the reports that you may request',
      security: SECURITY,
      requestBody: { content: { 'application/json': { schema: NOTHING, example: {} } } },
      responses: {
        200: jsonAnswer('The catalogue of this login.', answer),
        403: REFUSAL_REF,
        ...problemResponses(PROBLEMS_OF.catalogue),
      },
    },
  }
}

/** Describes the path of the list of runs. */
export function runsPath(): Described {
  const { properties = {} } = z.toJSONSchema(runsQuerySchema, { io: 'input' })
  const page = { schema: schemaRef('RunPage'), example: { runs: [examples.RUN], next: '17' } }
  const operation = {
    summary: 'List your runs, the newest first',
    security: SECURITY,
    responses: {
      200: jsonAnswer('A page of runs.', page),
      403: REFUSAL_REF,
      ...problemResponses(PROBLEMS_OF.runs),
    },
  }
  const body = { schema: { ...NOTHING, properties }, example: { limit: 10 } }
  return {
    get: {
      ...operation,
      operationId: 'listRuns',
      parameters: Object.entries(properties).map(([name, schema]) => ({
        name,
        in: 'query',
        schema,
      })),
    },
    post: {
      ...operation,
      operationId: 'listRunsByPost',
      requestBody: { content: { 'application/json': body } },
    },
  }
}

/** Describes the path of one run. */
export function runPath(): Described {
  const operation = {
    summary: 'Read the record of one run',
    security: SECURITY,
    responses: {
      200: {
        ...jsonAnswer(
          `The record. With \`Accept: ${JWS_MEDIA_TYPE}\`, a JWS in its compact form (RFC 7515) that holds it.`,
          { schema: schemaRef('Run'), example: examples.RUN },
          {
            [JWS_MEDIA_TYPE]: {
              schema: { type: 'string', pattern: String.raw`^[\w-]+\.[\w-]+\.[\w-]+$` },
            },
          },
        ),
      },
      403: REFUSAL_REF,
      ...problemResponses(PROBLEMS_OF.run),
    },
  }
  const runId = { name: 'runId', in: 'path', required: true, schema: { type: 'string' } }
  return {
    parameters: [{ ...runId, example: examples.RUN_ID }],
    get: { ...operation, operationId: 'readRun' },
    post: {
      ...operation,
      operationId: 'readRunByPost',
      requestBody: { content: { 'application/json': { schema: NOTHING, example: {} } } },
    },
  }
}

/** Describes the paths of the form operations. */
export function operationPaths(apiPathPrefix: string): Readonly<Record<string, Described>> {
  return Object.fromEntries(
    Object.values(OPERATIONS).map((operation) => [
      apiPathPrefix + operationPath(operation, '{endpointId}'),
      operationPathItem(operation),
    ]),
  )
}

function operationPathItem(operation: Operation): Described {
  const { name, title, answerId } = operation
  const accepted =
    answerId === undefined
      ? { schema: schemaRef('EligibilityResponse'), example: examples.ELIGIBILITY }
      : { schema: schemaRef('AsyncResponse'), example: examples.asyncResponse(name, answerId) }
  const problems = codesByStatus(PROBLEMS_OF.operation)
  const errors = Object.entries(examples.ERRORS).map(([status, example]) => {
    const codes = problems.get(Number(status)) ?? []
    const { description, headers, content } = responseOf(codes)
    const error = { schema: schemaRef('ErrorResponse'), example }
    return [
      status,
      {
        description: `An error of the operation. ${description}`.trim(),
        headers,
        content: { 'application/json': error, ...(codes.length > 0 && content) },
      },
    ]
  })
  return {
    parameters: [
      {
        name: 'endpointId',
        in: 'path',
        required: true,
        description: 'The id of one of your endpoints. The catalogue lists them.',
        schema: { type: 'string', pattern: String.raw`^\d+$` },
        example: '100',
      },
    ],
    post: {
      operationId: name,
      summary: `${title[0]?.toUpperCase()}${title.slice(1)}`,
      security: SECURITY,
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: formSchema(operation),
            example: examples.FORMS[name],
          },
        },
      },
      responses: {
        200: jsonAnswer('The answer. A repeated operation gets its first answer.', accepted),
        403: REFUSAL_REF,
        ...problemResponses(PROBLEMS_OF.operation),
        ...Object.fromEntries(errors),
      },
    },
  }
}

function jsonAnswer(description: string, json: Described, others: Described = {}): Described {
  return {
    description,
    headers: headerRefs([HEADERS.requestId]),
    content: { 'application/json': json, ...others },
  }
}

function named(values: Readonly<Record<string, unknown>>): Described {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]))
}
