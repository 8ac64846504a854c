/**
 * What a field's value is made of; `validate-form.ts` says what each takes. A `card` is a card's number, a `cvv` its
 * verification value: neither is ever logged or stored, nor taken from a command line.
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

/** One field of an operation's form. */
export interface Field {
  /** The name that the field goes by inside; {@link spellingsOf} tells how it may be written. */
  readonly name: string
  /** How else the name is written, where that is not the same with `_` for `-`, or the other way. */
  readonly otherName?: string
  /** What it holds, in words. */
  readonly title: string
  readonly kind: FieldKind
  /** In characters (code points); 1 where it is absent: no field is sent empty. */
  readonly lengthMin?: number
  /** In characters (code points). */
  readonly lengthMax: number
  /** Whether every form has it; what depends on other fields is a {@link Choice}. */
  readonly required?: boolean
}

/** Fields of which one alone is sent, as where the money comes from: a card, a stored card, or the deposit. */
export interface Choice {
  /** What is chosen, in words: `the source`. */
  readonly title: string
  /** Whether one has to be chosen. */
  readonly required: boolean
  readonly alternatives: readonly Alternative[]
}

/** One way to choose, by sending a field (a boolean one: as `true`). */
export interface Alternative {
  readonly field: string
  /** Fields that have to come with it. */
  readonly requires?: readonly string[]
  /** Fields that may come with it. Where none is chosen that a field comes with, the field does not come. */
  readonly allows?: readonly string[]
}

/** Which member of an answer identifies what an operation has made (specification, "Other paths"). */
export type AnswerId = 'transaction-id' | 'payout-id'

/**
 * One of the four form operations (specification, "Other paths that appear as signing examples"):
 * a POST to `<api_path_prefix>/api/<version>/<path>/<endpoint_id>`.
 */
export interface Operation {
  /** What the command and the configuration call it. */
  readonly name: OperationName
  readonly version: 'v2' | 'v4'
  readonly path: string
  /** What it does, in words. */
  readonly title: string
  readonly fields: readonly Field[]
  readonly choices: readonly Choice[]
  /** The fields of the receiver's name. The ledger stores their values as one text, with spaces between them. */
  readonly receiverName?: readonly string[]
  /** `undefined`: its answer is its result. */
  readonly answerId: AnswerId | undefined
}

/** The name of an operation. */
export type OperationName = 'pan-eligibility' | 'transfer' | 'transfer-by-ref' | 'payout'

/** How a field's name may be written, its own name first: with hyphens, or with underscores. */
export function spellingsOf({ name, otherName }: Field): readonly string[] {
  const other =
    otherName ?? (name.includes('_') ? name.replaceAll('_', '-') : name.replaceAll('-', '_'))
  return other === name ? [name] : [name, other]
}

/** The path of an operation for a merchant endpoint, below the gateway's prefix: `/api/v4/transfer/1144`. */
export function operationPath({ version, path }: Operation, endpointId: string): string {
  return `/api/${version}/${path}/${endpointId}`
}

// A character of a field takes 4 bytes of UTF-8 at most, each written as %XX.
const BYTES_PER_CHARACTER = 12
/** Room for the `oauth_*` parameters, which a form may repeat. */
const OAUTH_BYTES = 4096

/** The largest form that an operation can have: every field with its longest value. */
export function formBytesMax({ fields }: Operation): number {
  const sizes = fields.map(({ name, lengthMax }) => {
    return name.length + '=&'.length + lengthMax * BYTES_PER_CHARACTER
  })
  return sizes.reduce((sum, size) => sum + size, OAUTH_BYTES)
}
