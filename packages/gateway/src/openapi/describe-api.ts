import { HEADERS } from '@counterfoil/protocol'
import manifest from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { LIVE_PATHS, READY_PATH } from '../http/server.ts'
import { components, headerRefs, schemaRef } from './components.ts'
import type { Described } from './form-schema.ts'
import { cataloguePath, operationPaths, reportPath, runPath, runsPath } from './signed-paths.ts'

/** The paths of a gateway besides those of reports. */
export interface ApiPaths {
  readonly catalogue: string
  readonly runs: string
  /** The public replies, with examples. */
  readonly discovery: readonly [path: string, example: object]
  readonly jwks: readonly [path: string, example: object]
  readonly openApi: string
}

/** Describes the gateway as an OpenAPI 3.1 document. */
export function describeApi(config: Config, paths: ApiPaths): Described {
  const { publicUrl, environment, refusalStatus, payments } = config
  return {
    openapi: '3.1.1',
    info: {
      title: 'Counterfoil',
      version: manifest.version,
      description: 'A gateway for signed transaction reports.',
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: publicUrl, description: `the ${environment}` }],
    paths: {
      [config.reportPath]: reportPath({ operationId: 'requestReport', refusalStatus }),
      [paths.catalogue]: cataloguePath(),
      [paths.runs]: runsPath(),
      [`${paths.runs}/{runId}`]: runPath(),
      ...(payments && operationPaths(payments.apiPathPrefix)),
      ...oldReportPaths(config),
      ...publicPaths(paths),
    },
    components: components(),
  }
}

/** Describes the old paths of reports. A request signs the address of the old path. */
function oldReportPaths({ oldReportPaths: old, publicUrl, refusalStatus }: Config): Described {
  const items = old.map(({ path, publicUrl: ownUrl = publicUrl, servedUntil }, index) => {
    const oldHeaders = ['Deprecation', 'Link', ...(servedUntil === undefined ? [] : ['Sunset'])]
    const operationId = `requestReportAtOldPath${index + 1}`
    const item = reportPath({ operationId, refusalStatus, oldHeaders })
    return [path, { ...item, ...(ownUrl !== publicUrl && { servers: [{ url: ownUrl }] }) }]
  })
  return Object.fromEntries(items)
}

/** Describes the paths that need no signature. */
function publicPaths({ discovery, jwks, openApi }: ApiPaths): Readonly<Record<string, Described>> {
  const health = { schema: schemaRef('Health'), example: { status: 'ok' } }
  const notReady = { schema: schemaRef('Health'), example: { status: 'not-ready' } }
  const live = LIVE_PATHS.map((path, index) => {
    const operationId = index === 0 ? 'isAlive' : `isAlive${index + 1}`
    return [path, read(operationId, 'Whether the process runs', health)]
  })
  return {
    [discovery[0]]: read('discover', 'Read the addresses of the gateway', {
      schema: schemaRef('Discovery'),
      example: discovery[1],
    }),
    [jwks[0]]: read('readKeys', 'Read the public keys of signed manifests', {
      schema: schemaRef('Jwks'),
      example: jwks[1],
    }),
    [openApi]: read('describeApi', 'Read this document', { schema: { type: 'object' } }),
    ...Object.fromEntries(live),
    [READY_PATH]: read('isReady', 'Whether the gateway can run reports', health, {
      503: { ...answer('The gateway cannot run reports now.', notReady) },
    }),
  }
}

function read(
  operationId: string,
  summary: string,
  json: Described,
  others: Described = {},
): Described {
  return {
    get: {
      operationId,
      summary,
      security: [],
      responses: { 200: answer('The answer.', json), ...others },
    },
  }
}

function answer(description: string, json: Described): Described {
  return {
    description,
    headers: headerRefs([HEADERS.requestId]),
    content: { 'application/json': json },
  }
}
