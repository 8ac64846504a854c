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
import { type Patience, requestIdOf } from './exchange.ts'
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

/** Where to call, and as whom. */
export type CallOptions = SenderOptions & {
  /** What the operations' paths begin with, from the gateway's operator: `https://host/<api_path_prefix>`. */
  readonly apiUrl: string
  readonly signal?: AbortSignal
}

/** One operation, for one of the merchant's endpoints. */
export interface OperationCall {
  readonly operation: OperationName
  readonly endpointId: string
  /** The form's fields, in either spelling; the gateway checks them. */
  readonly fields: Readonly<Record<string, string>>
}

/** How an operation that was accepted is answered. */
export type AcceptedAnswer = AsyncResponse | EligibilityResponse

/**
 * Calls one of the sandbox's form operations (specification, "Other paths"). Throws a {@link ReportError} unless it
 * was accepted: `problem`, or `busy`, with the gateway's `answer`, where it was not. After `incomplete`, and `connection`
 * unless `nothingSent`, that is not known: the same call again, with the same client order id, gets the first answer.
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
  const { answer, patience } = await send(message, options.signal)
  return await readAnswer(answer, patience)
}

async function readAnswer(answer: IncomingMessage, patience: Patience): Promise<AcceptedAnswer> {
  const text = await readText(answer, patience)
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
