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
  'unreadable-form': invalid(101, 'The gateway cannot read the form'),
  'unknown-field': invalid(102, 'The operation has no such field'),
  'repeated-field': invalid(103, 'A field appears more than once'),
  'missing-field': invalid(104, 'A field is missing'),
  'field-length': invalid(106, 'A field is too short or too long'),
  'field-value': invalid(107, 'A field has an invalid value'),
  'conflicting-fields': invalid(108, 'Two fields exclude each other, or one lacks the other'),
  'card-number': invalid(109, 'The check digit of the card number is wrong'),
  'card-expired': invalid(110, 'The card has expired'),
  'amount-digits': invalid(111, 'The amount has more fraction digits than its currency'),
  'unknown-currency': invalid(112, 'The endpoint does not accept the currency'),
  'unknown-endpoint': invalid(113, 'The endpoint does not exist or is not yours'),
  'order-id-taken': invalid(114, 'You have used the client order id with other fields'),
  'too-many-operations': invalid(115, 'Your login has too many operations'),
  'internal-error': { code: 201, type: 'error', status: 500, title: 'The gateway failed' },
  unavailable: {
    code: 202,
    type: 'error',
    status: 503,
    title: 'The gateway is busy',
  },
} as const satisfies Record<string, OperationErrorKind>

/** The name of an error of an operation. */
export type OperationErrorName = keyof typeof OPERATION_ERRORS

function invalid(code: number, title: string): OperationErrorKind {
  return { code, type: 'validation-error', status: 422, title }
}
