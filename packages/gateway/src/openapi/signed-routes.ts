import { JWS_MEDIA_TYPE, runsQuerySchema } from '@counterfoil/protocol'
import * as z from 'zod'
import type { PathMethod } from '../http/answer.ts'
import { jsonAnswer, REFUSAL_REF, schemaRef, SECURITY } from './components.ts'
import * as examples from './examples.ts'
import type { Described } from './form-schema.ts'
import { problemResponses, PROBLEMS_OF } from './problem-responses.ts'

/** A path below the path of reports: what the server dispatches by, and what the document says of it. */
interface SignedRoute {
  /** A segment in braces stands for any text. */
  readonly path: string
  /** The name of each method in the document. */
  readonly operationIds: { readonly [method in PathMethod]?: string }
  readonly summary: string
  readonly problems: keyof typeof PROBLEMS_OF
  readonly answer: Described
  /** The members that a request may have: in the query of a GET, or in the body of a POST. */
  readonly query?: Described
  readonly parameters?: readonly Described[]
}

/** The name of a path below the path of reports. */
export type SignedRouteName = 'catalogue' | 'runs' | 'run'

/** The paths below the path of reports. `paths.ts` gives each a handler, and {@link describeRoutes} describes each. */
export const SIGNED_ROUTES: Readonly<Record<SignedRouteName, SignedRoute>> = {
  catalogue: {
    path: '/catalogue',
    operationIds: { POST: 'readCatalogue' },
    summary: 'List the reports that you may request',
    problems: 'catalogue',
    answer: jsonAnswer('The catalogue of this login.', {
      schema: schemaRef('Catalogue'),
      example: examples.CATALOGUE,
    }),
  },
  runs: {
    path: '/runs',
    operationIds: { GET: 'listRuns', POST: 'listRunsByPost' },
    summary: 'List your runs, the newest first',
    problems: 'runs',
    answer: jsonAnswer('A page of runs.', {
      schema: schemaRef('RunPage'),
      example: { runs: [examples.RUN], next: '17' },
    }),
    query: z.toJSONSchema(runsQuerySchema, { io: 'input' }).properties ?? {},
  },
  run: {
    path: '/runs/{runId}',
    operationIds: { GET: 'readRun', POST: 'readRunByPost' },
    summary: 'Read the record of one run',
    problems: 'run',
    answer: jsonAnswer(
      `The record. With \`Accept: ${JWS_MEDIA_TYPE}\`, a JWS in its compact form (RFC 7515) that holds it.`,
      { schema: schemaRef('Run'), example: examples.RUN },
      {
        [JWS_MEDIA_TYPE]: {
          schema: { type: 'string', pattern: String.raw`^[\w-]+\.[\w-]+\.[\w-]+$` },
        },
      },
    ),
    parameters: [
      {
        name: 'runId',
        in: 'path',
        required: true,
        schema: { type: 'string' },
        example: examples.RUN_ID,
      },
    ],
  },
}

/** Returns the methods of a route. */
export function methodsOf({ operationIds }: SignedRoute): readonly PathMethod[] {
  return (['GET', 'POST'] as const).filter((method) => operationIds[method] !== undefined)
}

/** Describes the paths below the path of reports. */
export function describeRoutes(reportPath: string): Described {
  const items = Object.values(SIGNED_ROUTES).map((route) => {
    const methods = methodsOf(route).map((method) => {
      return [method.toLowerCase(), describeMethod(route, method)]
    })
    const { path, parameters } = route
    return [
      reportPath + path,
      { ...(parameters && { parameters }), ...Object.fromEntries(methods) },
    ]
  })
  return Object.fromEntries(items)
}

function describeMethod(route: SignedRoute, method: PathMethod): Described {
  const { operationIds, summary, problems, answer, query = {} } = route
  const schema = { type: 'object', additionalProperties: false, properties: query }
  return {
    operationId: operationIds[method],
    summary,
    security: SECURITY,
    ...(method === 'GET'
      ? {
          parameters: Object.entries(query).map(([name, one]) => ({
            name,
            in: 'query',
            schema: one,
          })),
        }
      : { requestBody: { content: { 'application/json': { schema, example: {} } } } }),
    responses: { 200: answer, 403: REFUSAL_REF, ...problemResponses(PROBLEMS_OF[problems]) },
  }
}
