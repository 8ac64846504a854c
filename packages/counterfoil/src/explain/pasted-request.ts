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
