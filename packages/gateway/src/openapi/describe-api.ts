import manifest from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { LIVE_PATHS, READY_PATH } from '../http/server.ts'
import { components, jsonAnswer, type SchemaName, schemaRef } from './components.ts'
import type { Described } from './form-schema.ts'
import { operationPaths, reportPath } from './signed-paths.ts'
import { describeRoutes } from './signed-routes.ts'

/** A path that answers every caller with JSON. */
export interface PublicRoute {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly schema: SchemaName
  readonly example: object
}

/** Describes the gateway as an OpenAPI 3.1 document, which it serves at a path of its own. */
export function describeApi(
  config: Config,
  publicRoutes: readonly PublicRoute[],
  openApiPath: string,
): Described {
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
      ...describeRoutes(config.reportPath),
      ...(payments && operationPaths(payments.apiPathPrefix)),
      ...oldReportPaths(config),
      ...Object.fromEntries([...publicRoutes, ...LIVE_ROUTES].map(describePublic)),
      [openApiPath]: read('describeApi', 'Read this document', { schema: { type: 'object' } }),
      [READY_PATH]: read('isReady', 'Whether the gateway can run reports', health('ok'), {
        503: jsonAnswer('The gateway cannot run reports now.', health('not-ready')),
      }),
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

const LIVE_ROUTES = LIVE_PATHS.map((path, index): PublicRoute => {
  const operationId = index === 0 ? 'isAlive' : `isAlive${index + 1}`
  const summary = 'Whether the process runs'
  return { path, operationId, summary, schema: 'Health', example: { status: 'ok' } }
})

function describePublic({ path, operationId, summary, schema, example }: PublicRoute) {
  return [path, read(operationId, summary, { schema: schemaRef(schema), example })]
}

function health(status: 'ok' | 'not-ready'): Described {
  return { schema: schemaRef('Health'), example: { status } }
}

function read(
  operationId: string,
  summary: string,
  json: Described,
  others: Described = {},
): Described {
  const responses = { 200: jsonAnswer('The answer.', json), ...others }
  return { get: { operationId, summary, security: [], responses } }
}
