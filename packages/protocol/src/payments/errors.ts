/** An error of an operation: a stable code, and whether the gateway may have created anything. */
export interface OperationErrorKind {
  /** The `error-code` of the answer. */
  readonly code: number
  /** After a `validation-error`, which has status 422, the gateway has created nothing. */
  readonly type: 'validation-error' | 'error'
  readonly status: number
  readonly title: string
}

/** Every error of an operation. docs/errors.md lists them. */
export const OPERATION_ERRORS = {
  'unreadable-form': invalid(101, 'The form cannot be read'),
  'unknown-field': invalid(102, 'The operation has no such field'),
  'repeated-field': invalid(103, 'A field is there more than once'),
  'missing-field': invalid(104, 'A field is missing'),
  'empty-field': invalid(105, 'A field is empty'),
  'field-length': invalid(106, 'A field is too short or too long'),
  'field-value': invalid(107, 'A field is not what it may be'),
  'conflicting-fields': invalid(108, 'Fields do not go together'),
  'card-number': invalid(109, "A card's number does not pass its check digit"),
  'card-expired': invalid(110, 'The card has expired'),
  'amount-digits': invalid(111, 'The amount has more digits than its currency'),
  'unknown-currency': invalid(112, 'The endpoint does not take the currency'),
  'unknown-endpoint': invalid(113, "There is no such endpoint, or it is not the caller's"),
  'order-id-taken': invalid(114, 'The client order id was used with other fields'),
  'internal-error': { code: 201, type: 'error', status: 500, title: 'The gateway failed' },
  unavailable: {
    code: 202,
    type: 'error',
    status: 503,
    title: 'The gateway takes no more for now',
  },
} as const satisfies Record<string, OperationErrorKind>

/** The name of an error of an operation. */
export type OperationErrorName = keyof typeof OPERATION_ERRORS

function invalid(code: number, title: string): OperationErrorKind {
  return { code, type: 'validation-error', status: 422, title }
}
