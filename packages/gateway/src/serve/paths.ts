import {
  type Discovery,
  DISCOVERY_PATH,
  formBytesMax,
  JWKS_PATH,
  OPERATIONS,
  operationPath,
} from '@counterfoil/protocol'
import { SIGNATURE_METHODS } from '@counterfoil/signing'
import { authenticate, type Authenticator, type Identify } from '../authenticate/authenticate.ts'
import type { Config } from '../config/config.ts'
import { ENCODINGS, FORMATS } from '@counterfoil/formats'
import type { PathMethod, SignedPath } from '../http/answer.ts'
import { ANY_SEGMENT } from '../http/check-request.ts'
import { type PublicAnswer, replyOf } from '../http/reply.ts'
import { describeApi } from '../openapi/describe-api.ts'
import { SIGNED_ROUTES, type SignedRouteName } from '../openapi/signed-routes.ts'
import { handleOperation, type OperationDependencies } from '../payments/handle-operation.ts'
import { LIMITS } from '@counterfoil/common'
import { type CatalogueDependencies, handleCatalogue } from '../report/catalogue.ts'
import { handleReport, type ReportDependencies } from '../report/handle-report.ts'
import { handleRun, handleRuns, type RunsDependencies } from '../runs/handle-runs.ts'
import type { ManifestKeys } from '../runs/manifest-keys.ts'
import {
  handleViewSession,
  identifyViewer,
  type ViewSessionDependencies,
} from '../view-sessions/view-sessions.ts'

const OPENAPI_PATH = '/.well-known/openapi.json'

/** The dependencies of the handlers. How a caller is identified follows from the path. */
export interface PathServices {
  readonly authenticator: Authenticator
  readonly reports: Omit<ReportDependencies & CatalogueDependencies, 'identify'>
  readonly payments: Omit<
    OperationDependencies,
    'authenticator' | 'perLoginMax' | 'perLoginAndDayMax'
  >
  readonly runs: Omit<RunsDependencies, 'identify'>
  /** View sessions, and the path of the console. Absent if the operator has not switched them on. */
  readonly viewSessions?: (ViewSessionDependencies & { readonly path: string }) | undefined
}

/** Returns the paths of signed requests and of view sessions, as far as they are configured. */
export function signedPathsOf(
  config: Config,
  services: PathServices,
): ReadonlyMap<string, SignedPath> {
  const { authenticator, viewSessions } = services
  const identify: Identify = (request) => authenticate(authenticator, request)
  return new Map([
    ...reportPathsAt(config.reportPath, services, identify, config.refusalStatus),
    ...oldReportPathsOf(config, services),
    ...operationPathsOf(config, services),
    ...(viewSessions ? viewSessionPathsOf(services, viewSessions) : []),
  ])
}

export function publicAnswersOf(
  config: Config,
  { jwks }: Pick<ManifestKeys, 'jwks'>,
): ReadonlyMap<string, PublicAnswer> {
  const routes = [
    {
      path: DISCOVERY_PATH,
      operationId: 'discover',
      summary: 'Read the addresses of the gateway',
      schema: 'Discovery',
      answer: replyOf(discoveryOf(config)),
    },
    {
      path: JWKS_PATH,
      operationId: 'readKeys',
      summary: 'Read the public keys of signed manifests',
      schema: 'Jwks',
      answer: async () => replyOf(await jwks()),
    },
  ] as const
  return new Map<string, PublicAnswer>([
    ...routes.map(({ path, answer }) => [path, answer] as const),
    [OPENAPI_PATH, replyOf(describeApi(config, routes, OPENAPI_PATH))],
  ])
}

export function hostsOf({ publicUrl, oldReportPaths }: Config): ReadonlySet<string> {
  const urls = [publicUrl, ...oldReportPaths.flatMap((old) => old.publicUrl ?? [])]
  return new Set(urls.map((url) => new URL(url).host))
}

/** Returns the path of reports, and the paths of their catalogue and runs below it. */
function reportPathsAt(
  path: string,
  services: PathServices,
  identify: Identify,
  refusalStatus: SignedPath['refusalStatus'],
): ReadonlyMap<string, SignedPath> {
  const reports = { ...services.reports, identify }
  const runs = { ...services.runs, identify }
  const below: readonly (readonly [SignedRouteName, SignedPath['handle']])[] = [
    ['catalogue', (...request) => handleCatalogue(reports, ...request)],
    ['runs', (...request) => handleRuns(runs, ...request)],
    ['run', (...request) => handleRun(runs, ...request)],
  ]
  return new Map([
    [path, reportsAt(reports, refusalStatus)],
    ...below.map(([name, handle]) => {
      const { path: own, methods } = SIGNED_ROUTES[name]
      return [path + own.replace(/\/\{\w+\}$/, ANY_SEGMENT), smallPath(methods, handle)] as const
    }),
  ])
}

function smallPath(methods: readonly PathMethod[], handle: SignedPath['handle']): SignedPath {
  const body = { kind: 'json', bytesMax: LIMITS.emptyBodyBytesMax, isOptional: true } as const
  return { handle, body, refusalStatus: 403, methods }
}

function reportsAt(
  dependencies: ReportDependencies,
  refusalStatus: SignedPath['refusalStatus'],
  headers: SignedPath['headers'] = {},
): SignedPath {
  return {
    handle: (request, signal) => handleReport(dependencies, request, signal),
    body: { kind: 'json', bytesMax: LIMITS.bodyBytesMax },
    refusalStatus,
    headers,
  }
}

/** Returns the old paths of reports, with the origin that their callers sign. */
function oldReportPathsOf(
  config: Config,
  { authenticator, reports }: PathServices,
): ReadonlyMap<string, SignedPath> {
  const old = config.oldReportPaths.map((former) => {
    const { path, publicUrl = config.publicUrl } = former
    const identify: Identify = (request) => authenticate({ ...authenticator, publicUrl }, request)
    const headers = deprecationHeaders(former, config)
    return [path, reportsAt({ ...reports, identify }, config.refusalStatus, headers)] as const
  })
  return new Map(old)
}

/** Returns the path of view sessions, and the paths of reports for their cookie. */
function viewSessionPathsOf(
  services: PathServices,
  viewSessions: ViewSessionDependencies & { readonly path: string },
): ReadonlyMap<string, SignedPath> {
  const handle: SignedPath['handle'] = (request) => handleViewSession(viewSessions, request)
  const identify: Identify = (request) => identifyViewer(viewSessions, request)
  const sessionPath = `${viewSessions.path}/session`
  return new Map([
    [sessionPath, smallPath(['GET', 'POST', 'DELETE'], handle)],
    ...reportPathsAt(`${sessionPath}/reports`, services, identify, 403),
  ])
}

function operationPathsOf(
  { payments }: Config,
  { payments: services, authenticator }: PathServices,
): ReadonlyMap<string, SignedPath> {
  if (!payments) return new Map()
  const { apiPathPrefix, rsaOnly, perLoginMax, perLoginAndDayMax } = payments
  const paths = Object.values(OPERATIONS).map((operation) => {
    const path = apiPathPrefix + operationPath(operation, '').replace(/\/$/, ANY_SEGMENT)
    const isRsaOnly = rsaOnly.includes(operation.name)
    const own: OperationDependencies = {
      ...services,
      perLoginMax,
      perLoginAndDayMax,
      authenticator: { ...authenticator, ...(isRsaOnly && { methods: ['RSA-SHA256'] }) },
    }
    const signedPath: SignedPath = {
      handle: (request) => handleOperation(own, operation, request),
      body: { kind: 'form', bytesMax: formBytesMax(operation) },
      refusalStatus: 403,
    }
    return [path, signedPath] as const
  })
  return new Map(paths)
}

/** Returns the headers of RFC 9745 and RFC 8594, with a link to the current path of reports. */
function deprecationHeaders(
  { deprecatedSince, servedUntil }: Config['oldReportPaths'][number],
  { publicUrl, reportPath }: Config,
): SignedPath['headers'] {
  return {
    Deprecation: `@${Date.parse(deprecatedSince) / 1000}`,
    ...(servedUntil !== undefined && { Sunset: new Date(servedUntil).toUTCString() }),
    Link: `<${publicUrl}${reportPath}>; rel="successor-version"`,
  }
}

/** Returns the public description of the gateway (docs/protocol.md, "Discovery"). */
function discoveryOf(config: Config): Discovery {
  const { environment, publicUrl, reportPath, payments, refusalStatus, console } = config
  return {
    environment,
    reportPath,
    reportUrl: publicUrl + reportPath,
    refusalStatus,
    cataloguePath: reportPath + SIGNED_ROUTES.catalogue.path,
    catalogueUrl: publicUrl + reportPath + SIGNED_ROUTES.catalogue.path,
    runsUrl: publicUrl + reportPath + SIGNED_ROUTES.runs.path,
    jwksUrl: publicUrl + JWKS_PATH,
    openApiUrl: publicUrl + OPENAPI_PATH,
    signatureMethods: SIGNATURE_METHODS,
    formats: Object.keys(FORMATS),
    encodings: ENCODINGS.map(({ name }) => name),
    ...(console && { consoleUrl: `${publicUrl}${console.path}/` }),
    ...(console &&
      console.viewSessions && { viewSessionUrl: `${publicUrl}${console.path}/session` }),
    ...(payments && { operationUrls: operationUrlsOf(publicUrl + payments.apiPathPrefix) }),
  }
}

/** Returns the URLs of the form operations by name. The caller appends the id of an endpoint. */
function operationUrlsOf(apiUrl: string): Readonly<Record<string, string>> {
  const entries = Object.values(OPERATIONS).map((operation) => {
    return [operation.name, apiUrl + operationPath(operation, '')]
  })
  return Object.fromEntries(entries)
}
