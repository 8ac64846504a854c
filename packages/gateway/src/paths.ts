import { formBytesMax, OPERATIONS, operationPath } from '@counterfoil/protocol'
import { METHODS } from '@counterfoil/signing'
import type { Config } from './config/config.ts'
import { ENCODINGS } from './formats/encodings.ts'
import { FORMATS } from './formats/formats.ts'
import type { SignedPath } from './http/answer.ts'
import { ANY_SEGMENT } from './http/known-paths.ts'
import { describeApi } from './openapi/describe-api.ts'
import { handleOperation, type OperationDependencies } from './payments/handle-operation.ts'
import { LIMITS } from './limits.ts'
import { type CatalogueDependencies, handleCatalogue } from './report/handle-catalogue.ts'
import { handleReport, type ReportDependencies } from './report/handle-report.ts'
import { handleRun, handleRuns, type RunsDependencies } from './runs/handle-runs.ts'
import type { ManifestKeys } from './runs/manifest-keys.ts'

const DISCOVERY_PATH = '/.well-known/counterfoil'
const JWKS_PATH = '/.well-known/jwks.json'
const OPENAPI_PATH = '/.well-known/openapi.json'

/** Returns the paths of signed requests: reports, their catalogue, their runs, and the form operations if they are configured. */
export function signedPathsOf(
  config: Config,
  reports: ReportDependencies & CatalogueDependencies,
  payments: OperationDependencies,
  runs: RunsDependencies,
): ReadonlyMap<string, SignedPath> {
  return new Map([
    ...reportPathsOf(config, reports),
    ...runPathsOf(config, runs),
    ...operationPathsOf(config, payments),
  ])
}

/** Returns the JSON replies that callers may read without a signature, by path. */
export function publicRepliesOf(
  config: Config,
  { jwks }: Pick<ManifestKeys, 'jwks'>,
): ReadonlyMap<string, object> {
  const discovery = discoveryOf(config)
  const openApi = describeApi(config, {
    catalogue: cataloguePathOf(config),
    runs: runsPathOf(config),
    discovery: [DISCOVERY_PATH, discovery],
    jwks: [JWKS_PATH, jwks],
    openApi: OPENAPI_PATH,
  })
  return new Map<string, object>([
    [DISCOVERY_PATH, discovery],
    [JWKS_PATH, jwks],
    [OPENAPI_PATH, openApi],
  ])
}

/** Returns the hosts that callers may name in a request line. */
export function hostsOf({ publicUrl, oldReportPaths }: Config): ReadonlySet<string> {
  const urls = [publicUrl, ...oldReportPaths.flatMap((old) => old.publicUrl ?? [])]
  return new Set(urls.map((url) => new URL(url).host))
}

/** Returns the path of reports, their old paths, and the path of the catalogue. */
function reportPathsOf(
  config: Config,
  dependencies: ReportDependencies & CatalogueDependencies,
): ReadonlyMap<string, SignedPath> {
  const reports = (own: ReportDependencies, headers: SignedPath['headers']): SignedPath => ({
    handle: (request, signal) => handleReport(own, request, signal),
    body: { kind: 'json', bytesMax: LIMITS.bodyBytesMax },
    refusalStatus: config.refusalStatus,
    headers,
  })
  const old = config.oldReportPaths.map((former) => {
    const { path, publicUrl = config.publicUrl } = former
    const own = { ...dependencies, authenticator: { ...dependencies.authenticator, publicUrl } }
    return [path, reports(own, deprecationHeaders(former, config))] as const
  })
  const catalogue: SignedPath = {
    handle: (request, signal) => handleCatalogue(dependencies, request, signal),
    body: { kind: 'json', bytesMax: LIMITS.emptyBodyBytesMax, isOptional: true },
    refusalStatus: 403,
    headers: {},
  }
  return new Map([
    [config.reportPath, reports(dependencies, {})],
    ...old,
    [cataloguePathOf(config), catalogue],
  ])
}

/** Returns the path of the list of runs, and the path of one run. */
function runPathsOf(
  config: Config,
  dependencies: RunsDependencies,
): ReadonlyMap<string, SignedPath> {
  const path = (handle: typeof handleRuns): SignedPath => ({
    handle: (request, signal) => handle(dependencies, request, signal),
    body: { kind: 'json', bytesMax: LIMITS.emptyBodyBytesMax, isOptional: true },
    refusalStatus: 403,
    mayBeRead: true,
    headers: {},
  })
  return new Map([
    [runsPathOf(config), path(handleRuns)],
    [runsPathOf(config) + ANY_SEGMENT, path(handleRun)],
  ])
}

function operationPathsOf(
  { payments }: Config,
  dependencies: OperationDependencies,
): ReadonlyMap<string, SignedPath> {
  if (!payments) return new Map()
  const { apiPathPrefix, rsaOnly } = payments
  const paths = Object.values(OPERATIONS).map((operation) => {
    const path = apiPathPrefix + operationPath(operation, '').replace(/\/$/, ANY_SEGMENT)
    const own: OperationDependencies = rsaOnly.includes(operation.name)
      ? {
          ...dependencies,
          authenticator: { ...dependencies.authenticator, methods: ['RSA-SHA256'] },
        }
      : dependencies
    const signedPath: SignedPath = {
      handle: (request) => handleOperation(own, operation, request),
      body: { kind: 'form', bytesMax: formBytesMax(operation) },
      refusalStatus: 403,
      headers: {},
    }
    return [path, signedPath] as const
  })
  return new Map(paths)
}

function cataloguePathOf({ reportPath }: Config): string {
  return `${reportPath}/catalogue`
}

function runsPathOf({ reportPath }: Config): string {
  return `${reportPath}/runs`
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
function discoveryOf(config: Config): object {
  const { environment, publicUrl, reportPath, payments, refusalStatus } = config
  return {
    environment,
    reportPath,
    reportUrl: publicUrl + reportPath,
    refusalStatus,
    cataloguePath: cataloguePathOf(config),
    catalogueUrl: publicUrl + cataloguePathOf(config),
    runsUrl: publicUrl + runsPathOf(config),
    jwksUrl: publicUrl + JWKS_PATH,
    openApiUrl: publicUrl + OPENAPI_PATH,
    signatureMethods: Object.keys(METHODS),
    formats: Object.keys(FORMATS),
    encodings: ENCODINGS.map(({ name }) => name),
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
