import type { IncomingMessage } from 'node:http'
import {
  type AsyncResponse,
  type EligibilityResponse,
  type ErrorResponse,
  operationPath,
  type OperationName,
  OPERATIONS,
} from '@counterfoil/protocol'
import { encodeForm } from '@counterfoil/signing'
import { createSender, type SenderOptions } from './create-sender.ts'
import { type WaitOptions, requestIdOf } from './exchange.ts'
import { parseEndpoint } from './parse-endpoint.ts'
import {
  failureOf,
  hasTexts,
  mediaTypeOf,
  parseJson,
  readText,
  retryAfterSecondsOf,
} from './read-failure.ts'
import { ReportError } from './report-error.ts'

/** The address of the operations, the credentials, and the timeouts. */
export type CallOptions = SenderOptions & {
  /** The prefix of the operations' paths, which the gateway's operator gives you: `https://host/<api_path_prefix>`. */
  readonly apiUrl: string
  readonly signal?: AbortSignal
}

/** A call of one operation, for one of the merchant's endpoints. */
export interface OperationCall {
  readonly operation: OperationName
  readonly endpointId: string
  /** The form's fields, each in either spelling of its name. The gateway checks them. */
  readonly fields: Readonly<Record<string, string>>
}

/** The answer to an accepted operation. */
export type AcceptedAnswer = AsyncResponse | EligibilityResponse

/**
 * Calls one of the sandbox's form operations (specification, "Other paths"), and returns the answer if the gateway
 * accepted the operation.
 *
 * @throws {ReportError} `problem`, or `busy`, with the gateway's `answer`, if the gateway did not accept the operation.
 * After `incomplete`, or `connection` without `nothingSent`, you cannot know whether it did. Repeat the call with the
 * same client order id: the gateway then returns its first answer. If you abort the call, it throws the signal's
 * reason.
 * @example
 * const answer = await callOperation(
 *   {
 *     operation: 'transfer-by-ref',
 *     endpointId: '1144',
 *     fields: {
 *       'client-order-id': '902B4FF5',
 *       amount: '10.42',
 *       currency: 'EUR',
 *       'destination-card-no': '9001000000000000',
 *     },
 *   },
 *   { apiUrl, login, controlKey },
 * )
 * answer['client-order-id'] // '902B4FF5'
 */
export async function callOperation(
  { operation, endpointId, fields }: OperationCall,
  options: CallOptions,
): Promise<AcceptedAnswer> {
  const url = parseEndpoint(options.apiUrl, options.allowPlainHttp ?? false, 'apiUrl')
  const path = operationPath(OPERATIONS[operation], encodeURIComponent(endpointId))
  url.pathname = url.pathname.replace(/\/$/, '') + path
  const body = encodeForm(Object.entries(fields))
  const message = { url, contentType: 'application/x-www-form-urlencoded', body }
  const send = await createSender(options)
  const { answer, waitOptions } = await send(message, options.signal)
  return await readAnswer(answer, waitOptions)
}

async function readAnswer(
  answer: IncomingMessage,
  waitOptions: WaitOptions,
): Promise<AcceptedAnswer> {
  const text = await readText(answer, waitOptions)
  const value = mediaTypeOf(answer) === 'application/json' ? parseJson(text) : undefined
  if (answer.statusCode === 200 && isAccepted(value)) return value
  if (!isError(value)) throw failureOf(answer, text, 'an answer of the operation')
  const code = answer.statusCode === 503 ? 'busy' : 'problem'
  throw new ReportError(code, value['error-message'], {
    requestId: requestIdOf(answer),
    answer: value,
    retryAfterSeconds: retryAfterSecondsOf(answer),
  })
}

function isAccepted(value: unknown): value is AcceptedAnswer {
  if (!hasTexts(value, ['type', 'serial-number', 'client-order-id'])) return false
  return value.type === 'async-response' || value.type === 'pan-eligibility-response'
}

function isError(value: unknown): value is ErrorResponse {
  if (!hasTexts(value, ['type', 'serial-number', 'error-code', 'error-message'])) return false
  return value.type === 'validation-error' || value.type === 'error'
}
