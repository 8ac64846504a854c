/** Counts the rows of a CSV while its bytes pass. */
export interface RowCounter {
  push(chunk: Uint8Array): void
  /** The records so far, without the header row. A record that has begun counts. */
  rows(): number
  /** Whether the bytes so far end inside a quoted field. */
  isInQuotes(): boolean
}

/** What the counter depends on. */
export interface CountedCsv {
  readonly hasHeader: boolean
  /** The `charset` of `Content-Type`. */
  readonly charset?: string
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

/**
 * Creates a counter of CSV rows (RFC 4180, section 2). A record ends at a CRLF or LF outside quotes, or at the end of
 * the bytes. A doubled quote closes and reopens its field, so counting quotes is enough. The counter works with every
 * delimiter. In UTF-16, the bytes of `"` and LF may be halves of other characters, so the counter decodes it. In the
 * other charsets of the gateway they have no other meaning.
 */
export function createRowCounter({ hasHeader, charset = 'utf-8' }: CountedCsv): RowCounter {
  const decoder = /^utf-16(?:le|be)?$/i.test(charset) ? new TextDecoder(charset) : undefined
  const encoder = new TextEncoder()
  let seen = 0
  let firstByte: number | undefined
  let ended = 0
  let isQuoted = false
  let inRecord = false
  return {
    push(received) {
      const chunk = decoder ? encoder.encode(decoder.decode(received, { stream: true })) : received
      for (let index = 0; index < chunk.length; index += 1) {
        if (chunk[index] === QUOTE) isQuoted = !isQuoted
        else if (chunk[index] === LINE_FEED && !isQuoted) ended += 1
      }
      firstByte ??= chunk[0]
      seen += chunk.length
      if (chunk.length > 0) inRecord = isQuoted || chunk.at(-1) !== LINE_FEED
    },
    isInQuotes: () => isQuoted,
    rows() {
      // A byte order mark alone is not a record.
      if (seen === 3 && firstByte === 0xef) return 0
      return Math.max(0, ended + (inRecord ? 1 : 0) - (hasHeader ? 1 : 0))
    },
  }
}
