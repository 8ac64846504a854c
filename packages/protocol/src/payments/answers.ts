import { OPERATION_ERRORS, type OperationErrorName } from './errors.ts'
import type { AnswerId } from './operation.ts'
import type { OperationFault } from './validate-form.ts'

/** What every answer of an operation carries. */
interface AnswerOf<Type extends string> {
  readonly type: Type
  /** Of this answer; the same operation sent again gets the first answer, serial number and all. */
  readonly 'serial-number': string
}

/** Accepted, and not yet done: how a transfer or a payout is answered (specification, "Other paths"). */
export type AsyncResponse = AnswerOf<'async-response'> & {
  /** The merchant's own id of the order, under both its names. */
  readonly 'client-order-id': string
  readonly 'merchant-order-id': string
} & { readonly [id in AnswerId]?: string }

/** What is found out about a card that is to send money. */
export interface EligibilityResponse extends AnswerOf<'pan-eligibility-response'> {
  readonly 'client-order-id': string
  readonly 'merchant-order-id': string
  /** `unknown`: nothing could be found out. */
  readonly status: 'approved' | 'error' | 'unknown'
  /** Whether the card can send; absent where that is not known. */
  readonly 'can-send'?: boolean
  readonly bin?: string
  readonly 'last-four-digits'?: string
}

/** Not accepted: of a `validation-error` nothing was created. */
export interface ErrorResponse extends AnswerOf<'validation-error' | 'error'> {
  /** A number of {@link OPERATION_ERRORS}, as text. */
  readonly 'error-code': string
  readonly 'error-message': string
}

/** Every answer of an operation, as the JSON that travels. */
export type OperationAnswer = AsyncResponse | EligibilityResponse | ErrorResponse

/** Writes an error; `detail` says what was expected where, and goes into the message. */
export function errorResponse(
  error: OperationErrorName,
  detail: string,
  serialNumber: string,
): ErrorResponse {
  const { type, code, title } = OPERATION_ERRORS[error]
  return {
    type,
    'serial-number': serialNumber,
    'error-code': String(code),
    'error-message': detail === '' ? title : `${title}. ${detail}`,
  }
}

const FAULTS_TOLD_MAX = 20

/** Writes the faults of a form as one error: the code of the first, and the first 20 in the message. */
export function faultsResponse(
  faults: readonly [OperationFault, ...OperationFault[]],
  serialNumber: string,
): ErrorResponse {
  const told = faults.slice(0, FAULTS_TOLD_MAX).map(({ field, expected }) => {
    return field === '' ? expected : `${field}: ${expected}`
  })
  const more = faults.length - told.length
  const detail = [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  return errorResponse(faults[0].error, detail, serialNumber)
}
