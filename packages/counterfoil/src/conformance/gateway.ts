import { setTimeout as sleep } from 'node:timers/promises'
import { operationPath, type ReportRequest } from '@counterfoil/protocol'
import { type Answer, exchange } from '../connection/exchange.ts'
import { CONFORMANCE_LIMITS } from './limits.ts'
import { type Change, type Secret, signRequest, type SignedRequest } from './sign-request.ts'

const FORM_TYPE = 'application/x-www-form-urlencoded'

/** The gateway to check, and the login that checks it. */
export interface GatewaySettings {
  /** The report URL. */
  readonly endpoint: string
  /** The base URL of the operations, if the gateway has any. */
  readonly apiUrl: string | undefined
  readonly login: string
  readonly secret: Secret
  /** A request for a small report. */
  readonly report: ReportRequest
  /** Whether the login must sign the body. */
  readonly signBody?: boolean
}

/** A request and its answer. */
interface Asked {
  readonly request: SignedRequest
  readonly answer: Answer
}

/** Requests to a gateway under test, one at a time. */
export interface Gateway extends GatewaySettings {
  /**
   * Signs and sends a request for the report, or a form of the operation payout. Waits, signs and sends it again if the
   * gateway is busy. Sends the request without a change once for all checks.
   */
  readonly ask: (change?: Change) => Promise<Asked>
  /** Sends a request once. */
  readonly send: (request: SignedRequest) => Promise<Answer>
  /** How many requests were sent. */
  readonly requests: () => number
}

/** A run has sent as many requests as it may. */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests'
}

/** Opens a gateway for checks. */
export function openGateway(
  settings: GatewaySettings,
  { ca, signal }: { readonly ca: string | undefined; readonly signal: AbortSignal },
): Gateway {
  const { endpoint, apiUrl = '', login, secret, report, signBody } = settings
  const { requestsMax, requestMs, answerBytesMax, busyRetriesMax, busyWaitMs } = CONFORMANCE_LIMITS
  let requests = 0
  let plain: Promise<Asked> | undefined
  const sign = async (change: Change): Promise<SignedRequest> => {
    const common = { login, secret, now: Date.now() / 1000 }
    if (change.form !== undefined) {
      const url = apiUrl.replace(/\/$/, '') + operationPath({ name: 'payout' }, '1')
      return await signRequest(
        { ...common, url, contentType: FORM_TYPE, body: change.form },
        change,
      )
    }
    const body = JSON.stringify({ ...report, ...change.members })
    const bodyHash = signBody ? 'SHA-256' : undefined
    const contentType = 'application/json'
    return await signRequest({ ...common, url: endpoint, contentType, body, bodyHash }, change)
  }
  const send = async (request: SignedRequest): Promise<Answer> => {
    if (requests === requestsMax) throw new TooManyRequests()
    requests += 1
    return await exchange(request, { ca, signal, timeoutMs: requestMs, bytesMax: answerBytesMax })
  }
  const retry = async (change: Change): Promise<Asked> => {
    for (let tries = 1; ; tries += 1) {
      const request = await sign(change)
      const answer = await send(request)
      const isBusy = answer.status === 429 || answer.status === 503
      if (!isBusy || tries > busyRetriesMax) return { request, answer }
      const seconds = Number(answer.headers['retry-after'])
      const waitMs = (Number.isNaN(seconds) ? 1 : seconds) * 1000
      await sleep(Math.min(waitMs, busyWaitMs), undefined, { signal })
    }
  }
  const ask = async (change?: Change) => await (change ? retry(change) : (plain ??= retry({})))
  return { ...settings, ask, send, requests: () => requests }
}
