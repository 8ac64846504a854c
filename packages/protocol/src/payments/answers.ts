import * as z from 'zod/mini'
import { OPERATION_ERRORS, type OperationErrorName } from './operation.ts'
import { describe, optional, type ValueOf } from '../schema.ts'
import type { OperationFault } from './validate-form.ts'

const answer = () => ({
  'serial-number': describe(
    z.string(),
    'the id of this answer; a repeated operation gets it again',
  ),
})

/** The merchant's order id, under both its names. */
const orderIds = () => ({ 'client-order-id': z.string(), 'merchant-order-id': z.string() })

/** The schema of the answer to an accepted transfer or payout. */
export const asyncResponseSchema = describe(
  z.object({
    type: z.enum(['async-response']),
    ...answer(),
    ...orderIds(),
    'transaction-id': z.exactOptional(z.string()),
    'payout-id': z.exactOptional(z.string()),
  }),
  'The gateway accepted the operation.',
)

/** The schema of the answer whether a card can send money. */
export const eligibilityResponseSchema = describe(
  z.object({
    type: z.enum(['pan-eligibility-response']),
    ...answer(),
    ...orderIds(),
    status: describe(
      z.enum(['approved', 'error', 'unknown']),
      'unknown: the gateway could not find out',
    ),
    'can-send': optional(z.boolean(), 'absent if it is not known'),
    bin: z.exactOptional(z.string()),
    'last-four-digits': z.exactOptional(z.string()),
  }),
  'Whether a card can send.',
)

/** The schema of the answer to an operation that the gateway did not accept. */
export const errorResponseSchema = describe(
  z.object({
    type: describe(
      z.enum(['validation-error', 'error']),
      'after a validation-error, the gateway has created nothing',
    ),
    ...answer(),
    'error-code': describe(z.string(), 'the stable code: decide by it'),
    'error-message': z.string(),
  }),
  'The gateway did not accept the operation.',
)

/** A transfer or a payout is accepted and not yet done (specification, "Other paths"). */
export type AsyncResponse = ValueOf<typeof asyncResponseSchema>

/** Whether a card can send money. */
export type EligibilityResponse = ValueOf<typeof eligibilityResponseSchema>

/** The gateway did not accept the operation. After a `validation-error` it has created nothing. */
export type ErrorResponse = ValueOf<typeof errorResponseSchema>

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
