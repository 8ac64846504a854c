import type { ReportRequest } from '@counterfoil/protocol'
import { createSender, type SenderOptions } from './create-sender.ts'
import { parseEndpoint } from './parse-endpoint.ts'
import { type Report, readAnswer } from './read-answer.ts'
import { type ReportTarget, type SavedReport, type SaveOptions, saveReport } from './save-report.ts'

/** The address of a gateway, the credentials, and the timeouts. */
export type ClientOptions = SenderOptions & {
  /** The report URL, which the gateway's operator gives you. Its path may change, so keep it in your configuration. */
  readonly endpoint: string
  /** Signs the body too (`oauth_body_hash`, SHA-256). An operator may require this of a login. */
  readonly signBody?: boolean
}

/** Requests reports from one gateway, with one login. A client holds no connection, so you need not close it. */
export interface ReportClient {
  /**
   * Requests a report, and returns when the head of the answer has arrived.
   *
   * @param options The signal aborts the request, and then the body until its end.
   * @throws {ReportError} If the gateway sends anything but a report. If you abort the request, it throws the signal's
   * reason.
   * @example
   * const client = await createClient({ endpoint, login, controlKey })
   * const { body, completed } = await client.requestReport({ reportIdentifier: 'transactions-list' })
   * let bytes = 0
   * for await (const chunk of body) bytes += chunk.length
   * const { rows } = await completed
   * rows // 3
   */
  requestReport(
    request: ReportRequest,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Report>
  /**
   * Requests a report and saves it in a file that only its owner may read. The file appears under its name when its
   * digest and row count agree with the gateway's. It never appears earlier or in part.
   *
   * @throws {ReportError} If the gateway sends anything but a report, the report is not complete, or the file cannot be
   * written. If you abort the request, it throws the signal's reason.
   * @example
   * const client = await createClient({ endpoint, login, controlKey })
   * const { file, rows } = await client.saveReport({ reportIdentifier: 'transactions-list' }, 'may.csv')
   * file // 'may.csv'
   * rows // 3
   */
  saveReport(
    request: ReportRequest,
    target: ReportTarget,
    options?: SaveOptions,
  ): Promise<SavedReport>
}

// A proxy may drop the trailers, which prove that the report is complete, unless the request asks for them.
const WITH_TRAILERS = { TE: 'trailers', Connection: 'close, TE' }

/**
 * Creates a client for a gateway's report URL.
 *
 * @throws {ReportError} `settings` if the endpoint or the credentials are malformed.
 * @example
 * const client = await createClient({ endpoint, login, controlKey })
 * const report = await client.requestReport({ reportIdentifier: 'transactions-list' })
 * report.fileName // 'transactions-list.csv'
 * report.body.destroy()
 */
export async function createClient(options: ClientOptions): Promise<ReportClient> {
  const { endpoint, allowPlainHttp = false, signBody = false } = options
  const url = parseEndpoint(endpoint, allowPlainHttp)
  const send = await createSender(options, signBody ? { bodyHash: 'SHA-256' } : {})
  const requestReport: ReportClient['requestReport'] = async (request, { signal } = {}) => {
    const body = JSON.stringify(request)
    const message = { url, contentType: 'application/json', body, headers: WITH_TRAILERS }
    const { answer, waitOptions } = await send(message, signal)
    return await readAnswer(answer, waitOptions)
  }
  return {
    requestReport,
    async saveReport(request, target, saveOptions = {}) {
      const { signal } = saveOptions
      const ask = async () => await requestReport(request, signal ? { signal } : {})
      return await saveReport(ask, target, saveOptions)
    },
  }
}
