/**
 * The kind of a field's value. `value-checks.ts` says which values each kind accepts. A `card` is a card's number, and
 * a `cvv` its verification value: neither is ever logged, stored, or read from a command line.
 */
export type FieldKind =
  | 'text'
  | 'phone'
  | 'identifier'
  | 'digits'
  | 'card-id'
  | 'card'
  | 'cvv'
  | 'amount'
  | 'currency'
  | 'month'
  | 'year'
  | 'birthday'
  | 'boolean'
  | 'country'
  | 'email'
  | 'ip'
  | 'url'

/** A field of an operation's form. */
export interface Field {
  /** The field's name in this code. {@link spellingsOf} returns the names that a form may use. */
  readonly name: string
  /** The other spelling of the name, if it is not the name with `_` for `-`, or `-` for `_`. */
  readonly otherName?: string
  /** What the field holds, for people. */
  readonly title: string
  readonly kind: FieldKind
  /** In characters (code points); by default 1. An empty field counts as absent. */
  readonly lengthMin?: number
  /** In characters (code points). */
  readonly lengthMax: number
  /** Whether every form must have the field. A {@link Choice} says which other fields depend on each other. */
  readonly required?: boolean
}

/** Fields of which a form has one, such as the source of the money: a card, a stored card, or the deposit. */
export interface Choice {
  /** What the form chooses, for people: `the source`. */
  readonly title: string
  /** Whether the form must have one of them. */
  readonly required: boolean
  readonly alternatives: readonly Alternative[]
}

/** One alternative of a choice. A form chooses it with this field. A boolean field must be `true`. */
export interface Alternative {
  readonly field: string
  /** Fields that must come with it. */
  readonly requires?: readonly string[]
  /** Fields that may come with it. A form may have such a field only with an alternative that requires or allows it. */
  readonly allows?: readonly string[]
}

/**
 * One of the four form operations: a POST to {@link operationPath} (specification, "Other paths that appear as signing
 * examples").
 */
export interface Operation {
  /** Its name in the command and in the configuration. */
  readonly name: OperationName
  /** What the operation does, for people. */
  readonly title: string
  readonly fields: readonly Field[]
  readonly choices: readonly Choice[]
  /** The member of the answer with the id of the transaction or payout. Undefined if the answer is the result. */
  readonly answerId: 'transaction-id' | 'payout-id' | undefined
}

/** The path of each operation, without the id of an endpoint. */
const PATHS = {
  'pan-eligibility': '/api/v2/pan-eligibility/send',
  transfer: '/api/v4/transfer',
  'transfer-by-ref': '/api/v4/transfer-by-ref',
  payout: '/api/v4/payout',
} as const

/** The name of an operation. */
export type OperationName = keyof typeof PATHS

/** Returns the spellings of a field's name, its own name first: with hyphens, or with underscores. */
export function spellingsOf({ name, otherName }: Field): readonly string[] {
  const other =
    otherName ?? (name.includes('_') ? name.replaceAll('_', '-') : name.replaceAll('-', '_'))
  return other === name ? [name] : [name, other]
}

/** Returns the path of an operation for a merchant endpoint, below the gateway's prefix: `/api/v4/transfer/1144`. */
export function operationPath({ name }: Pick<Operation, 'name'>, endpointId: string): string {
  return `${PATHS[name]}/${endpointId}`
}

// A character takes at most 4 bytes of UTF-8, and each byte is written as %XX.
const BYTES_PER_CHARACTER = 12
/** Room for the `oauth_*` parameters, which a form may repeat. */
const OAUTH_BYTES = 4096

/** Returns the size of the largest form of an operation: every field with its longest value. */
export function formBytesMax({ fields }: Operation): number {
  const sizes = fields.map(({ name, lengthMax }) => {
    return name.length + '=&'.length + lengthMax * BYTES_PER_CHARACTER
  })
  return sizes.reduce((sum, size) => sum + size, OAUTH_BYTES)
}

/** Every error of an operation. docs/errors.md lists them. After a `validation-error`, the gateway has created nothing. */
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
  unavailable: { code: 202, type: 'error', status: 503, title: 'The gateway is busy' },
} as const

/** The name of an error of an operation. */
export type OperationErrorName = keyof typeof OPERATION_ERRORS

function invalid(code: number, title: string) {
  return { code, type: 'validation-error', status: 422, title } as const
}
