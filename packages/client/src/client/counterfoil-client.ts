import {
  type Catalogue,
  catalogueSchema,
  JWS_MEDIA_TYPE,
  type ReportRequest,
  type Run,
  type RunPage,
  runPageSchema,
} from '@counterfoil/protocol'
import { runtime } from '#runtime'
import {
  type Ask,
  askJson,
  createAsk,
  createSender,
  type Credentials,
  isViewSession,
  parseEndpoint,
  type Sender,
  type ViewSession,
} from '../connection/connection.ts'
import { invalidSettings } from '../errors/counterfoil-error.ts'
import { openReport } from '../report/open-report.ts'
import { Payments } from '../operations/payments.ts'
import { type ReportOptions, toReportRequest } from '../report/report-options.ts'
import {
  manifestOf,
  readFreshManifest,
  readManifest,
  type RunsOptions,
} from '../records/records.ts'
import {
  type Download,
  type DownloadOptions,
  type DownloadTarget,
  type OpenReport,
  type Report,
  streamReport,
} from '../report/report.ts'
import type { Transport } from '../runtime/runtime.ts'
import { createFetchTransport, type Fetch } from '../runtime/fetch-transport.ts'
import type { Row } from '../rows/csv-parser.ts'
import { requestRows } from '../rows/read-rows.ts'
import { createRetry, isTransient, isUnsent, type Retry } from '../connection/retry.ts'

/** The addresses of a gateway, which its operator gives you. They may change, so keep them in your configuration. */
export type Addresses =
  | {
      /** The report URL. */
      readonly endpoint: string
      /** The prefix of the operations' paths: `https://host/<api_path_prefix>`. Only a sandbox has operations. */
      readonly apiUrl?: string
    }
  | { readonly endpoint?: undefined; readonly apiUrl: string }

/** How a client connects. */
export interface ConnectionOptions {
  /** Signs the body too (`oauth_body_hash`, SHA-256). An operator may require this of a login. */
  readonly signBody?: boolean
  /** Certificates to trust instead of the system's, as PEM. */
  readonly ca?: string
  /** Allows an `http:` URL of another machine. */
  readonly allowPlainHttp?: boolean
  /** How long the gateway may send nothing, before its answer and within it; by default 120,000. */
  readonly idleTimeoutMs?: number
  /** How often to retry after 429, 502, 503, 504 and a broken connection; by default 2. The client signs every attempt anew. */
  readonly retries?: number
  /** Fails with the code `truncated` if a gateway does not prove that a report is complete. */
  readonly requireProof?: boolean
  /** Sends the requests instead of the runtime's own way, for example through a proxy. `fetch` shows no trailers. */
  readonly fetch?: Fetch
}

/** Options of every request. */
export interface RequestOptions {
  readonly signal?: AbortSignal
}

/** The addresses of a gateway, the credentials, and how to connect. */
export type ClientOptions = Addresses & (Credentials | ViewSession) & ConnectionOptions

const IDLE_TIMEOUT_MS = 120_000

const RETRIES_MAX = 2

/**
 * A client of one gateway, with one login. It holds no connection, so you need not close it.
 *
 * @example
 * const client = new CounterfoilClient({ endpoint, login, controlKey })
 * const { rows } = await client.download('transactions-list', { dateFrom: '2026-05-01' }, 'may.csv')
 * rows // 3
 */
export class CounterfoilClient {
  /** Calls the operations of a sandbox. The client needs `apiUrl` for them. */
  readonly payments: Payments
  readonly #endpoint: URL | undefined
  readonly #send: Sender
  readonly #ask: Ask
  readonly #retry: Retry
  readonly #requireProof: boolean

  /** @throws {CounterfoilError} `invalid-settings` if an address or the login is missing or malformed. */
  constructor(options: ClientOptions) {
    const { endpoint, apiUrl, login, idleTimeoutMs = IDLE_TIMEOUT_MS } = options
    const { allowPlainHttp = false, signBody = false, retries = RETRIES_MAX } = options
    if (!login) throw invalidSettings('login: your login is missing')
    if (isViewSession(options) && apiUrl !== undefined) {
      throw invalidSettings('apiUrl: a view session has no operations')
    }
    const operations =
      apiUrl === undefined ? undefined : parseEndpoint(apiUrl, allowPlainHttp, 'apiUrl')
    this.#endpoint = endpoint === undefined ? undefined : parseEndpoint(endpoint, allowPlainHttp)
    this.#requireProof = options.requireProof ?? false
    const transport = transportOf(options)
    this.#send = createSender({ credentials: options, transport, idleTimeoutMs, signBody })
    this.#retry = createRetry(retries, isTransient)
    this.#ask = createAsk(this.#send, () => present(this.#endpoint, 'endpoint'), this.#retry)
    const operationsUrl = () => present(operations, 'apiUrl')
    this.payments = new Payments(this.#send, operationsUrl, createRetry(retries, isUnsent))
  }

  /**
   * Requests a report, and returns when the head of the answer has arrived.
   *
   * @param report The identifier of the report, or a complete request.
   * @throws {CounterfoilError} If the gateway sends anything but a report. If you abort the request, it throws the
   * signal's reason.
   * @example
   * const client = new CounterfoilClient({ endpoint, login, controlKey })
   * const { body, completed } = await client.report('transactions-list', { dateFrom: '2026-05-01' })
   * let bytes = 0
   * for await (const chunk of body) bytes += chunk.length
   * const { rows } = await completed
   * rows // 3
   */
  async report(
    report: string | ReportRequest,
    options: ReportOptions = {},
    { signal }: RequestOptions = {},
  ): Promise<Report> {
    const request = toReportRequest(report, options)
    return streamReport(await this.#retry(() => this.#open(request, signal), signal))
  }

  /**
   * Requests a report and saves it in a file that only its owner may read. The file appears under its name when its
   * digest and, for CSV, the row count agree with the gateway's. It never appears earlier or in part.
   *
   * @param report The identifier of the report, or a complete request.
   * @param target The path of the file, or `{ directory }` for the name that the gateway suggests.
   * @throws {CounterfoilError} If the gateway sends anything but a report, the report is not complete, or the file
   * cannot be written. If you abort the request, it throws the signal's reason.
   * @example
   * const client = new CounterfoilClient({ endpoint, login, controlKey })
   * const period = { dateFrom: '2026-05-01', dateTo: '2026-06-01', timezone: 'Europe/Riga' }
   * const { file, rows } = await client.download('transactions-list', period, 'may.csv')
   * file // 'may.csv'
   * rows // 3
   */
  async download(
    report: string | ReportRequest,
    options: ReportOptions,
    target: DownloadTarget,
    downloadOptions: DownloadOptions = {},
  ): Promise<Download> {
    const request = toReportRequest(report, options)
    const { signal } = downloadOptions
    // Every attempt begins a new file.
    const attempt = async () => {
      return await runtime.saveReport(() => this.#open(request, signal), target, downloadOptions)
    }
    return await this.#retry(attempt, signal)
  }

  /**
   * Requests a report as JSON lines, and iterates over its rows. The iteration fails at its end if the report is not
   * complete. If you leave the loop, the client cancels the request.
   *
   * @param report The identifier of the report.
   * @throws {CounterfoilError} As `report` does.
   * @example
   * const client = new CounterfoilClient({ endpoint, login, controlKey })
   * const ids: unknown[] = []
   * for await (const row of client.rows('transactions-list', { dateFrom: '2026-05-01' })) ids.push(row['Id'])
   * ids // ['1', '2', '3']
   */
  rows(
    report: string,
    options: ReportOptions = {},
    { signal }: RequestOptions = {},
  ): AsyncIterableIterator<Row> {
    const request = toReportRequest(report, { ...options, format: 'JSONL' })
    return requestRows(async () => await this.#retry(() => this.#open(request, signal), signal))
  }

  /**
   * Asks what the login may ask for: reports with their columns and parameters.
   *
   * @throws {CounterfoilError} `unexpected-body` or `report-refused` if the gateway has no catalogue.
   * @example
   * const client = new CounterfoilClient({ endpoint, login, controlKey })
   * const { reports } = await client.catalogue()
   * reports[0]?.reportIdentifier // 'transactions-list'
   */
  async catalogue({ signal }: RequestOptions = {}): Promise<Catalogue> {
    const question = { path: '/catalogue', expected: 'a catalogue', signal }
    return await askJson(this.#ask, question, catalogueSchema)
  }

  /**
   * Lists the runs of the login, the newest first. A run is the record of one report.
   *
   * @example
   * const client = new CounterfoilClient({ endpoint, login, controlKey })
   * const { runs } = await client.runs({ limit: 10 })
   * runs[0]?.outcome // 'complete'
   */
  async runs(options: RunsOptions = {}, { signal }: RequestOptions = {}): Promise<RunPage> {
    const question = { path: '/runs', content: options, expected: 'runs', signal }
    return await askJson(this.#ask, question, runPageSchema)
  }

  /**
   * Asks for the manifest of a run: who asked for what, and the rows, the digest and the totals of the file.
   *
   * @param runId The `runId` of a report.
   * @throws {CounterfoilError} `report-refused` with the problem `unknown-run` if the login has no such run.
   * @example
   * const client = new CounterfoilClient({ endpoint, login, controlKey })
   * const { runId } = await client.download('transactions-list', {}, 'all.csv')
   * const { file } = await client.manifest(runId ?? '')
   * file?.rows // 3
   */
  async manifest(runId: string, { signal }: RequestOptions = {}): Promise<Run> {
    return await readManifest(this.#ask, runId, signal)
  }

  /**
   * Asks for the signed manifest of a run: a JWS in its compact form, which a third party can check years later.
   *
   * @throws {CounterfoilError} As `manifest` does.
   * @example
   * const client = new CounterfoilClient({ endpoint, login, controlKey })
   * const jws = await client.signedManifest('request-1')
   * jws.split('.').length // 3
   */
  async signedManifest(runId: string, { signal }: RequestOptions = {}): Promise<string> {
    return (await this.#ask({ ...manifestOf(runId, signal), mediaType: JWS_MEDIA_TYPE })).trim()
  }

  async #open(request: ReportRequest, signal: AbortSignal | undefined): Promise<OpenReport> {
    const url = present(this.#endpoint, 'endpoint')
    const body = JSON.stringify(request)
    const answer = await this.#send({ url, contentType: 'application/json', body }, signal)
    return await openReport(answer, {
      readManifest: async (runId) => await readFreshManifest(this.#ask, runId, signal),
      isRequired: this.#requireProof,
    })
  }
}

function transportOf(options: ClientOptions): Transport {
  const { ca } = options
  const hasCookie = isViewSession(options)
  const fetch = options.fetch ?? (hasCookie ? globalThis.fetch : undefined)
  if (!fetch) return runtime.createTransport(ca)
  if (ca === undefined) return createFetchTransport(fetch, hasCookie ? 'same-origin' : 'omit')
  throw invalidSettings('ca: `fetch` trusts its own certificates only; use one of the two')
}

/** Returns a copy of an address, because a caller appends to it. */
function present(address: URL | undefined, setting: string): URL {
  if (!address) throw invalidSettings(`${setting}: your client has no such address`)
  return new URL(address)
}
