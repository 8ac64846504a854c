import type { ReportRequest } from '@counterfoil/protocol'
import { createSender, type SenderOptions } from './create-sender.ts'
import { parseEndpoint } from './parse-endpoint.ts'
import { type Report, readAnswer } from './read-answer.ts'
import { type ReportTarget, type SavedReport, type SaveOptions, saveReport } from './save-report.ts'

/** Where to ask, and as whom. */
export type ClientOptions = SenderOptions & {
  /** The report URL, from the gateway's operator; its path may change, so keep it in configuration. */
  readonly endpoint: string
  /** Signs the body too (`oauth_body_hash`, SHA-256), which an operator can require of a login. */
  readonly signBody?: boolean
}

/** Requests reports from one gateway, as one login. It holds no connection and needs no closing. */
export interface ReportClient {
  /**
   * Asks for a report and returns when it begins to come. Throws a {@link ReportError} for every other outcome, or
   * the signal's reason; the signal holds until the body ends.
   */
  requestReport(
    request: ReportRequest,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Report>
  /**
   * Asks for a report and saves it, readable by its owner only. The file appears under its name when digest and row
   * count agree, never before and never in part. Throws a {@link ReportError}, or the signal's reason.
   */
  saveReport(
    request: ReportRequest,
    target: ReportTarget,
    options?: SaveOptions,
  ): Promise<SavedReport>
}

// A proxy may drop the trailers, and with them the proof of completeness, unless they are asked for.
const WITH_TRAILERS = { TE: 'trailers', Connection: 'close, TE' }

/** Makes a client of a gateway's report URL. Throws `settings` where endpoint or key is not what it should be. */
export async function createClient(options: ClientOptions): Promise<ReportClient> {
  const { endpoint, allowPlainHttp = false, signBody = false } = options
  const url = parseEndpoint(endpoint, allowPlainHttp)
  const send = await createSender(options, signBody ? { bodyHash: 'SHA-256' } : {})
  const requestReport: ReportClient['requestReport'] = async (request, { signal } = {}) => {
    const body = JSON.stringify(request)
    const message = { url, contentType: 'application/json', body, headers: WITH_TRAILERS }
    const { answer, patience } = await send(message, signal)
    return await readAnswer(answer, patience)
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
