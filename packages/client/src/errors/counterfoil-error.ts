import type { ErrorResponse, Problem } from '@counterfoil/protocol'

/** What an error has besides its message and its request id, by its code. */
export interface ErrorFields {
  /** A setting or an option is malformed or missing. The client requested neither a report nor an operation. */
  readonly 'invalid-settings': object
  /** The gateway, or a proxy before it, did not accept the login, the key or the signature. */
  readonly 'not-authorised': {
    /** The complete text of the gateway. Undefined if a proxy answered. */
    readonly refusal: string | undefined
  }
  /** The request is invalid, or the gateway failed. `problem` says what is wrong, and where. */
  readonly 'report-refused': { readonly problem: Problem }
  /** The gateway did not accept an operation. `answer` says why. */
  readonly 'operation-refused': { readonly answer: ErrorResponse }
  /** The gateway is busy (status 503), or the requests of your login are too many (429). */
  readonly busy: {
    /** When to retry, if the gateway says so. */
    readonly retryAfterSeconds: number | undefined
  }
  /** No connection, or the connection broke before an answer. */
  readonly 'network-error': NothingSent
  /** The gateway sent nothing for `idleTimeoutMs`. */
  readonly 'timed-out': NothingSent & { readonly idleTimeoutMs: number }
  /** The answer is not complete, or its proof is missing. */
  readonly truncated: {
    /** `cut`: the connection broke. `unproved`: the proof is missing or malformed. `cancelled`: the reader left. */
    readonly reason: 'cut' | 'unproved' | 'cancelled'
  }
  /** The bytes or the rows that arrived are not those that the gateway sent. */
  readonly 'digest-mismatch': {
    /** What differs: the SHA-256 of the bytes, or the number of rows. */
    readonly of: 'sha256' | 'rows'
  }
  /** The answer is not from a gateway, or is a redirect, which the client never follows. */
  readonly 'unexpected-body': {
    /** The status of the answer. */
    readonly status: number
  }
  /** The file or another output could not be written, or the file already exists. */
  readonly 'file-error': object
}

interface NothingSent {
  /** Whether the connection failed before the client sent anything. */
  readonly nothingSent: boolean
}

/** The code of an error. */
export type ErrorCode = keyof ErrorFields

export interface ErrorDetails extends ErrorOptions {
  /** The id by which the gateway's operator finds the request. */
  readonly requestId?: string | undefined
}

class ClientError<Code extends ErrorCode> extends Error {
  override readonly name = 'CounterfoilError'
  readonly code: Code
  /** The id by which the gateway's operator finds the request. */
  readonly requestId: string | undefined

  constructor(code: Code, message: string, { requestId, cause }: ErrorDetails) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.requestId = requestId
  }
}

/** Every error of the client. Its `code` tells which fields it has. */
export type CounterfoilError = {
  [Code in ErrorCode]: ClientError<Code> & ErrorFields[Code]
}[ErrorCode]

/**
 * Tells the errors of the client from others. If you abort a request, it fails with the signal's own reason instead.
 *
 * @example
 * const client = new CounterfoilClient({ endpoint, login, controlKey: 'wrong' })
 * const error = await client.report('transactions-list').catch((cause) => cause)
 * error instanceof CounterfoilError // true
 * error.code // 'not-authorised'
 */
export const CounterfoilError: { [Symbol.hasInstance](value: unknown): value is CounterfoilError } =
  {
    [Symbol.hasInstance]: (value): value is CounterfoilError => value instanceof ClientError,
  }

/**
 * Creates an error of the client, for programs that send requests of their own.
 *
 * @example
 * createError('busy', 'the gateway is busy', { retryAfterSeconds: 5 }).retryAfterSeconds // 5
 */
export function createError<Code extends ErrorCode>(
  code: Code,
  message: string,
  fields: ErrorFields[Code],
  details: ErrorDetails = {},
): ClientError<Code> & ErrorFields[Code] {
  return Object.assign(new ClientError(code, message, details), fields)
}

export function invalidSettings(message: string, details?: ErrorDetails): CounterfoilError {
  return createError('invalid-settings', message, {}, details)
}
