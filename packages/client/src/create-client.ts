import type { ReportRequest } from '@counterfoil/protocol'
import { sign, SigningError } from '@counterfoil/signing'
import { type Credentials, importKey } from './credentials.ts'
import { send } from './exchange.ts'
import { parseEndpoint } from './parse-endpoint.ts'
import { type Report, readAnswer } from './read-answer.ts'
import { ReportError } from './report-error.ts'
import { type ReportTarget, type SavedReport, type SaveOptions, saveReport } from './save-report.ts'

/** Where to ask, and as whom. */
export type ClientOptions = Credentials & {
  /** The URL of the report endpoint, from the gateway's operator; its path may change, so keep it in configuration. */
  readonly endpoint: string
  /** Certificates, as PEM, to trust instead of the system's. */
  readonly ca?: string
  /** Lets an `http:` endpoint be another machine than this one. */
  readonly allowPlainHttp?: boolean
  /** Signs the body too (`oauth_body_hash`, SHA-256), which an operator can require of a login. */
  readonly signBody?: boolean
  /** How long the gateway may be silent, before its answer and within it; 120,000 where it is absent. */
  readonly idleTimeoutMs?: number
}

/** Asks one gateway for reports, as one merchant login. It holds no connection and needs no closing. */
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

const IDLE_TIMEOUT_MS = 120_000

/** Makes a client of a gateway's report endpoint. Throws `settings` where endpoint or key is not what it should be. */
export async function createClient(options: ClientOptions): Promise<ReportClient> {
  const { endpoint, login, ca, allowPlainHttp = false, idleTimeoutMs = IDLE_TIMEOUT_MS } = options
  const signOptions = options.signBody ? ({ bodyHash: 'SHA-256' } as const) : {}
  const url = parseEndpoint(endpoint, allowPlainHttp)
  if (!login) throw new ReportError('settings', 'login: expected the merchant login')
  const key = await asSettings(importKey(options))
  const requestReport: ReportClient['requestReport'] = async (request, { signal } = {}) => {
    const body = Buffer.from(JSON.stringify(request))
    const message = { method: 'POST', url: url.href, contentType: 'application/json', body }
    const signing = sign(message, { consumerKey: login, key }, signOptions)
    const { authorization } = await asSettings(signing)
    const headers = {
      Authorization: authorization,
      'Content-Type': message.contentType,
      'Accept-Encoding': 'identity',
      // A proxy may drop the trailers, and with them the proof of completeness, unless they are asked for.
      TE: 'trailers',
      Connection: 'close, TE',
    }
    const patience = { idleTimeoutMs, signal }
    return await readAnswer(await send({ url, headers, body, ca }, patience), patience)
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

async function asSettings<T>(signing: Promise<T>): Promise<T> {
  try {
    return await signing
  } catch (cause) {
    if (!(cause instanceof SigningError)) throw cause
    throw new ReportError('settings', `credentials: ${cause.message}`, { cause })
  }
}
