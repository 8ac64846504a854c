import { setTimeout as sleep } from 'node:timers/promises'
import { operationPath, type ReportRequest } from '@counterfoil/protocol'
import type { Answer } from './answer.ts'
import { exchange, type ExchangeOptions } from './exchange.ts'
import { CONFORMANCE_LIMITS } from './limits.ts'
import {
  type Change,
  type PlainRequest,
  type Secret,
  signRequest,
  type SignedRequest,
} from './sign-request.ts'

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

/** Requests to a gateway under test, one at a time. */
export interface Gateway extends GatewaySettings {
  /** Signs a request for the report. */
  readonly prepare: (change?: Change, request?: unknown) => Promise<SignedRequest>
  /** Sends a request once. */
  readonly send: (request: SignedRequest) => Promise<Answer>
  /** Signs and sends a request for the report. Waits, signs and sends it again if the gateway is busy. */
  readonly ask: (change?: Change, request?: unknown) => Promise<Answer>
  /**
   * Signs and sends a form to an operation. No form of the checks is complete, so that none creates a payment.
   *
   * @throws if the gateway has no operations
   */
  readonly call: (form: string, change?: Change) => Promise<Answer>
  /** The answer to the plain request. It is sent once for all checks that read it. */
  readonly plainAnswer: () => Promise<Answer>
  /** How many requests were sent. */
  readonly requests: () => number
}

/** A run has sent as many requests as it may. */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests'
}

/** Opens a gateway for checks. */
export function openGateway(settings: GatewaySettings, options: ExchangeOptions): Gateway {
  const { endpoint, apiUrl, login, secret, report, signBody } = settings
  let requests = 0
  let plainAnswer: Promise<Answer> | undefined
  const plain = (url: string, contentType: string, body: string): PlainRequest => {
    const isHashed = signBody && contentType !== FORM_TYPE
    const bodyHash = isHashed ? 'SHA-256' : undefined
    return { url, login, secret, contentType, body, bodyHash, now: Date.now() / 1000 }
  }
  const sendOnce = async (request: SignedRequest): Promise<Answer> => {
    requests += 1
    if (requests > CONFORMANCE_LIMITS.requestsMax) throw new TooManyRequests()
    return await exchange(request, options)
  }
  const retry = async (make: () => Promise<SignedRequest>): Promise<Answer> => {
    for (let tries = 1; ; tries += 1) {
      const answer = await sendOnce(await make())
      const isBusy = answer.status === 429 || answer.status === 503
      if (!isBusy || tries > CONFORMANCE_LIMITS.busyRetriesMax) return answer
      const seconds = Number(answer.headers['retry-after'])
      const waitMs = (Number.isNaN(seconds) ? 1 : seconds) * 1000
      await sleep(Math.min(waitMs, CONFORMANCE_LIMITS.busyWaitMs), undefined, options)
    }
  }
  const prepare: Gateway['prepare'] = async (change, request = report) => {
    return await signRequest(plain(endpoint, 'application/json', JSON.stringify(request)), change)
  }
  const ask: Gateway['ask'] = async (change, request) => await retry(() => prepare(change, request))
  return {
    ...settings,
    prepare,
    send: sendOnce,
    ask,
    call: async (form, change) => {
      if (apiUrl === undefined) throw new Error('The gateway has no operations.')
      const url = apiUrl.replace(/\/$/, '') + operationPath({ name: 'payout' }, '1')
      return await retry(() => signRequest(plain(url, FORM_TYPE, form), change))
    },
    plainAnswer: async () => await (plainAnswer ??= ask()),
    requests: () => Math.min(requests, CONFORMANCE_LIMITS.requestsMax),
  }
}
