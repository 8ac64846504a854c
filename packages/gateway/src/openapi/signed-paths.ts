import { HEADERS, type Operation, OPERATIONS, operationPath } from '@counterfoil/protocol'
import { FORMATS } from '@counterfoil/formats'
import { LIMITS } from '@counterfoil/common'
import { headerRefs, jsonAnswer, REFUSAL_REF, schemaRef, SECURITY } from './components.ts'
import * as examples from './examples.ts'
import { type Described, formSchema } from './form-schema.ts'
import { REFUSAL_CONTENT } from './refusal-response.ts'
import { codesByStatus, problemResponses, PROBLEMS_OF, responseOf } from './problem-responses.ts'

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
    HEADERS.syncedAt,
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

function named(values: Readonly<Record<string, unknown>>): Described {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]))
}
