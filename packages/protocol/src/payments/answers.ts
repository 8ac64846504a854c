import { OPERATION_ERRORS, type OperationErrorName } from './errors.ts'
import type { AnswerId } from './operation.ts'
import type { OperationFault } from './validate-form.ts'

/** The members of every answer of an operation. */
interface AnswerOf<Type extends string> {
  readonly type: Type
  /**
   * The id of this answer. If the merchant repeats an operation, the gateway returns its first answer, with the same
   * serial number.
   */
  readonly 'serial-number': string
}

/** A transfer or a payout is accepted and not yet done (specification, "Other paths"). */
export type AsyncResponse = AnswerOf<'async-response'> & {
  /** The merchant's order id, under both its names. */
  readonly 'client-order-id': string
  readonly 'merchant-order-id': string
} & { readonly [id in AnswerId]?: string }

/** Whether a card can send money. */
export interface EligibilityResponse extends AnswerOf<'pan-eligibility-response'> {
  readonly 'client-order-id': string
  readonly 'merchant-order-id': string
  /** `unknown`: the gateway could not find out. */
  readonly status: 'approved' | 'error' | 'unknown'
  /** Whether the card can send. Absent if that is not known. */
  readonly 'can-send'?: boolean
  readonly bin?: string
  readonly 'last-four-digits'?: string
}

/** The gateway did not accept the operation. After a `validation-error` it has created nothing. */
export interface ErrorResponse extends AnswerOf<'validation-error' | 'error'> {
  /** A code of {@link OPERATION_ERRORS}, as a string. */
  readonly 'error-code': string
  readonly 'error-message': string
}

/** Every answer of an operation, as JSON. */
export type OperationAnswer = AsyncResponse | EligibilityResponse | ErrorResponse

/** Creates an error. Its message is the error's title, and `detail`, which says where and what was expected. */
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

const FAULTS_SHOWN_MAX = 20

/** Creates one error for all faults of a form: the code of the first fault, and a message that lists the first 20. */
export function faultsResponse(
  faults: readonly [OperationFault, ...OperationFault[]],
  serialNumber: string,
): ErrorResponse {
  const shown = faults.slice(0, FAULTS_SHOWN_MAX).map(({ field, expected }) => {
    return field === '' ? expected : `${field}: ${expected}`
  })
  const more = faults.length - shown.length
  const detail = [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  return errorResponse(faults[0].error, detail, serialNumber)
}
