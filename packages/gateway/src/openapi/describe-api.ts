import {
  type Alternative,
  type Field,
  type Operation,
  OPERATIONS,
  operationPath,
  spellingsOf,
} from '@counterfoil/protocol'
import { FORMATS } from '@counterfoil/formats'
import manifest from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import type { PathMethod } from '../http/answer.ts'
import { LIVE_PATH, READY_PATH } from '../http/server.ts'
import {
  components,
  type Described,
  FAILED,
  jsonAnswer,
  OLD_PATH_HEADERS,
  REFUSAL_CONTENT,
  REFUSED,
  REPORT_HEADERS,
  type SchemaName,
  schemaRef,
  SUNSET_HEADER,
} from './components.ts'
import { CSV_EXAMPLE, FORMS, REPORT_REQUESTS, RUN_ID } from './examples.ts'
import { SIGNED_ROUTES, type SignedRoute } from './signed-routes.ts'

/** A path that answers every caller with JSON. */
export interface PublicRoute {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly schema: SchemaName
}

const SECURITY = [{ signature: [] }]

/** Describes the gateway as an OpenAPI 3.1 document, which it serves at a path of its own. */
export function describeApi(
  config: Config,
  publicRoutes: readonly PublicRoute[],
  openApiPath: string,
): Described {
  const { publicUrl, environment, reportPath, payments } = config
  const operations = payments ? Object.values(OPERATIONS) : []
  return {
    openapi: '3.1.1',
    info: {
      title: 'Counterfoil',
      version: manifest.version,
      description: 'A gateway for signed transaction reports.',
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: publicUrl, description: `the ${environment}` }],
    paths: Object.fromEntries([
      [reportPath, { post: reportOperation('requestReport', config) }],
      ...Object.values(SIGNED_ROUTES).map((route) => [reportPath + route.path, routeItem(route)]),
      ...operations.map((operation) => [
        `${payments?.apiPathPrefix}${operationPath(operation, '{endpointId}')}`,
        operationItem(operation),
      ]),
      ...oldReportPaths(config),
      ...publicRoutes.map(({ path, operationId, summary, schema }) => [
        path,
        read(operationId, summary, schemaRef(schema)),
      ]),
      [openApiPath, read('describeApi', 'Read this document', { type: 'object' })],
      [LIVE_PATH, read('isAlive', 'Whether the process runs', schemaRef('Health'))],
      [
        READY_PATH,
        read('isReady', 'Whether the gateway can run reports', schemaRef('Health'), {
          503: jsonAnswer('The gateway cannot run reports now.', schemaRef('Health')),
        }),
      ],
    ]),
    components: components(),
  }
}

function reportOperation(
  operationId: string,
  { refusalStatus }: Config,
  oldHeaders?: Described,
): Described {
  const formats = Object.values(FORMATS).map(({ mediaType }) => [mediaType, { schema: {} }])
  const orRefusal = ' **Or a refusal**, as `text/plain`: check the media type.'
  return {
    operationId,
    summary: 'Request a report',
    ...(oldHeaders && { deprecated: true }),
    security: SECURITY,
    requestBody: {
      required: true,
      description: 'The catalogue has a request for each report that you may request.',
      content: {
        'application/json': {
          schema: schemaRef('ReportRequest'),
          examples: Object.fromEntries(
            Object.entries(REPORT_REQUESTS).map(([name, value]) => [name, { value }]),
          ),
        },
      },
    },
    responses: {
      200: {
        description:
          'The report. The gateway cuts the connection if the report fails after its first byte.' +
          (refusalStatus === 200 ? orRefusal : ''),
        headers: { ...REPORT_HEADERS, ...oldHeaders },
        content: {
          ...Object.fromEntries(formats),
          [FORMATS.CSV.mediaType]: { schema: { type: 'string' }, example: CSV_EXAMPLE },
          ...(refusalStatus === 200 && REFUSAL_CONTENT),
        },
      },
      ...(refusalStatus === 403 && REFUSED),
      ...FAILED,
    },
  }
}

/** Describes the old paths of reports. A request signs the address of the old path. */
function oldReportPaths(config: Config): readonly [path: string, item: Described][] {
  return config.oldReportPaths.map(({ path, publicUrl, servedUntil }, index) => {
    const headers = { ...OLD_PATH_HEADERS, ...(servedUntil !== undefined && SUNSET_HEADER) }
    const post = reportOperation(`requestReportAtOldPath${index + 1}`, config, headers)
    return [path, { post, ...(publicUrl !== undefined && { servers: [{ url: publicUrl }] }) }]
  })
}

function routeItem(route: SignedRoute): Described {
  const { path, methods, operationId, summary, answer, otherAnswer, query = {} } = route
  const body = { type: 'object', additionalProperties: false, properties: query }
  const inQuery = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }))
  const describe = (method: PathMethod): Described => ({
    operationId:
      method === 'POST' && methods.includes('GET') ? `${operationId}ByPost` : operationId,
    summary,
    security: SECURITY,
    ...(method === 'GET'
      ? { parameters: inQuery }
      : { requestBody: { content: { 'application/json': { schema: body } } } }),
    responses: {
      200: jsonAnswer('The answer.', schemaRef(answer), otherAnswer),
      ...REFUSED,
      ...FAILED,
    },
  })
  return {
    ...(path.includes('{runId}') && { parameters: [inPath('runId', 'The id of a run.', RUN_ID)] }),
    ...Object.fromEntries(methods.map((method) => [method.toLowerCase(), describe(method)])),
  }
}

/** Describes a form operation. Its errors are JSON of their own, and faults of HTTP are problems. */
function operationItem(operation: Operation): Described {
  const { name, title, answerId } = operation
  const accepted = answerId === undefined ? 'EligibilityResponse' : 'AsyncResponse'
  const error = jsonAnswer('An error of the operation.', schemaRef('ErrorResponse'))
  return {
    parameters: [inPath('endpointId', 'One of your endpoints. The catalogue lists them.', '100')],
    post: {
      operationId: name,
      summary: `${title[0]?.toUpperCase()}${title.slice(1)}`,
      security: SECURITY,
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: formSchema(operation),
            example: FORMS[name],
          },
        },
      },
      responses: {
        200: jsonAnswer('A repeated operation gets its first answer.', schemaRef(accepted)),
        ...REFUSED,
        422: error,
        500: error,
        503: error,
        ...FAILED,
      },
    },
  }
}

function inPath(name: string, description: string, example: string): Described {
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example }
}

function read(
  operationId: string,
  summary: string,
  schema: Described,
  others?: Described,
): Described {
  const responses = { 200: jsonAnswer('The answer.', schema), ...others }
  return { get: { operationId, summary, security: [], responses } }
}

/** Returns the JSON Schema of an operation's form, with the first spelling of each field. */
export function formSchema({ title, fields, choices }: Operation): Described {
  const required = choices.filter((choice) => choice.required)
  return {
    type: 'object',
    description: `The form to ${title}, with the first spelling of each name. An empty field counts as absent.`,
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.flatMap(({ name, required: isRequired }) => (isRequired ? [name] : [])),
    additionalProperties: false,
    allOf: required.map((choice) => ({
      description: `A form names ${choice.title}.`,
      oneOf: choice.alternatives.map((alternative) => chosenSchema(alternative, fields)),
    })),
  }
}

function fieldSchema(field: Field): Described {
  const { title, lengthMin: minLength = 1, lengthMax: maxLength } = field
  const [, ...others] = spellingsOf(field)
  const spelled = others.length > 0 ? `; also written ${others.join(' or ')}` : ''
  return { type: 'string', description: title + spelled, minLength, maxLength }
}

/** A form that chooses an alternative. A boolean field chooses it with `true`. */
function chosenSchema({ field, requires = [] }: Alternative, fields: readonly Field[]): Described {
  const isBoolean = fields.some(({ name, kind }) => name === field && kind === 'boolean')
  return {
    required: [field, ...requires],
    ...(isBoolean && { properties: { [field]: { const: 'true' } } }),
  }
}
