import { SigningError } from '../refusals/signing-error.ts'

/** What a person pasted of a request. */
export interface PastedRequest {
  readonly method?: string
  readonly url?: string
  readonly authorization?: string
  readonly contentType?: string
  readonly body?: string
  /** When the request was sent, in seconds since 1970. */
  readonly sentAtSeconds?: number
}

/** Creates the error for a text that cannot be read as a request. */
export function wrongPaste(problem: string, options?: ErrorOptions): SigningError {
  return new SigningError('options', problem, options)
}
