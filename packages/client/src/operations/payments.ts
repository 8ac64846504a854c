import {
  type AsyncResponse,
  asyncResponseSchema,
  conforms,
  type EligibilityResponse,
  eligibilityResponseSchema,
  errorResponseSchema,
  type OperationName,
  operationPath,
} from '@counterfoil/protocol'
import { encodeForm } from '@counterfoil/signing'
import { createError } from '../errors/counterfoil-error.ts'
import type { Sender } from '../connection/connection.ts'
import {
  failureOf,
  mediaTypeOf,
  parseJson,
  readText,
  retryAfterSecondsOf,
} from '../errors/read-failure.ts'
import type { Retry } from '../connection/retry.ts'
import { type Answer, requestIdOf } from '../runtime/runtime.ts'

/** The fields of a form, each in either spelling of its name. The gateway checks them. */
export type OperationFields = Readonly<Record<string, string>>

/** Options of a call. */
export interface CallOptions {
  readonly signal?: AbortSignal
}

/** The answer to an accepted operation. */
export type AcceptedAnswer<Name extends OperationName = OperationName> =
  Name extends 'pan-eligibility' ? EligibilityResponse : AsyncResponse

/**
 * Calls the sandbox's form operations (specification, "Other paths") for one of the merchant's endpoints.
 *
 * `call` throws `operation-refused` if the gateway did not accept the operation. After `truncated` or
 * `unexpected-body`, and after `network-error` or `timed-out` without `nothingSent`, you cannot know whether it did. Repeat
 * the call with the same client order id: the gateway then returns its first answer. The client itself repeats a call
 * only if it sent nothing.
 */
export class Payments {
  readonly #send: Sender
  readonly #apiUrl: () => URL
  readonly #retry: Retry

  /**
   * Use `client.payments` instead.
   *
   * @param apiUrl Returns the prefix of the operations' paths. It may throw.
   */
  constructor(send: Sender, apiUrl: () => URL, retry: Retry) {
    this.#send = send
    this.#apiUrl = apiUrl
    this.#retry = retry
  }

  /**
   * Calls an operation: `transfer`, `transfer-by-ref`, `payout` or `pan-eligibility`.
   *
   * @param endpointId The id of one of the merchant's endpoints.
   *
   * @example
   * const client = new CounterfoilClient({ apiUrl, login, controlKey })
   * const fields = { 'client-order-id': '902B4FF5', 'sending-card-ref-id': '5000' }
   * const answer = await client.payments.call('pan-eligibility', '1144', fields)
   * answer.status // 'approved'
   */
  async call<Name extends OperationName>(
    name: Name,
    endpointId: string,
    fields: OperationFields,
    { signal }: CallOptions = {},
  ): Promise<AcceptedAnswer<Name>> {
    const url = this.#apiUrl()
    const path = operationPath({ name }, encodeURIComponent(endpointId))
    url.pathname = url.pathname.replace(/\/$/, '') + path
    const body = encodeForm(Object.entries(fields))
    const contentType = 'application/x-www-form-urlencoded'
    const attempt = async () => {
      return await readAccepted(await this.#send({ url, contentType, body }, signal), name)
    }
    return await this.#retry(attempt, signal)
  }
}

async function readAccepted<Name extends OperationName>(
  answer: Answer,
  name: Name,
): Promise<AcceptedAnswer<Name>> {
  const requestId = requestIdOf(answer)
  const text = await readText(answer)
  const value = mediaTypeOf(answer) === 'application/json' ? parseJson(text) : undefined
  if (answer.status === 200 && isAccepted(value, name)) return value
  if (!conforms(errorResponseSchema, value))
    throw failureOf(answer, text, 'an answer of the operation')
  const message = value['error-message']
  if (answer.status !== 503) {
    throw createError('operation-refused', message, { answer: value }, { requestId })
  }
  const retryAfterSeconds = retryAfterSecondsOf(answer)
  throw createError('busy', message, { retryAfterSeconds }, { requestId })
}

function isAccepted<Name extends OperationName>(
  value: unknown,
  name: Name,
): value is AcceptedAnswer<Name> {
  return name === 'pan-eligibility'
    ? conforms(eligibilityResponseSchema, value)
    : conforms(asyncResponseSchema, value)
}
