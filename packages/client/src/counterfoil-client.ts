import type { ReportRequest } from '@counterfoil/protocol'
import { InvalidSettings } from './counterfoil-error.ts'
import { createSender, type Sender } from './create-sender.ts'
import type { Credentials } from './credentials.ts'
import { type OpenReport, openReport } from './open-report.ts'
import { parseEndpoint } from './parse-endpoint.ts'
import { Payments } from './payments.ts'
import { type ReportOptions, toReportRequest } from './report-options.ts'
import {
  type Download,
  type DownloadOptions,
  type DownloadTarget,
  saveReport,
} from './save-report.ts'
import { type Report, streamReport } from './stream-report.ts'
import { createNodeTransport } from './transport/node-transport.ts'

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
}

/** The addresses of a gateway, the credentials, and how to connect. */
export type ClientOptions = Addresses & Credentials & ConnectionOptions

const IDLE_TIMEOUT_MS = 120_000

// A proxy may drop the trailers, which prove that the report is complete, unless the request asks for them.
const WITH_TRAILERS = { TE: 'trailers', Connection: 'close, TE' }

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

  /** @throws {InvalidSettings} If an address or the login is missing or malformed. */
  constructor(options: ClientOptions) {
    const { endpoint, apiUrl, login, ca, idleTimeoutMs = IDLE_TIMEOUT_MS } = options
    const { allowPlainHttp = false, signBody = false } = options
    if (!login) throw new InvalidSettings('login: your login is missing')
    const operations =
      apiUrl === undefined ? undefined : parseEndpoint(apiUrl, allowPlainHttp, 'apiUrl')
    this.#endpoint = endpoint === undefined ? undefined : parseEndpoint(endpoint, allowPlainHttp)
    const sending = { credentials: options, transport: createNodeTransport({ ca }), idleTimeoutMs }
    this.#send = createSender({ ...sending, signOptions: signBody ? { bodyHash: 'SHA-256' } : {} })
    // A form is part of the signature, so its body has no hash.
    const sendForm = createSender({ ...sending, signOptions: {} })
    this.payments = new Payments(sendForm, () => present(operations, 'apiUrl'))
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
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Report> {
    return streamReport(await this.#open(toReportRequest(report, options), signal))
  }

  /**
   * Requests a report and saves it in a file that only its owner may read. The file appears under its name when its
   * digest and row count agree with the gateway's. It never appears earlier or in part.
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
    const open = async () => await this.#open(request, downloadOptions.signal)
    return await saveReport(open, target, downloadOptions)
  }

  async #open(request: ReportRequest, signal: AbortSignal | undefined): Promise<OpenReport> {
    const url = present(this.#endpoint, 'endpoint')
    const body = JSON.stringify(request)
    const message = { url, contentType: 'application/json', body, headers: WITH_TRAILERS }
    return await openReport(await this.#send(message, signal))
  }
}

/** Returns a copy of an address, because a caller appends to it. */
function present(address: URL | undefined, setting: string): URL {
  if (!address) throw new InvalidSettings(`${setting}: your client has no such address`)
  return new URL(address)
}
