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
// A word of four of them.
const QUOTES = 0x22_22_22_22
const LINE_FEEDS = 0x0a_0a_0a_0a

/**
 * Creates a counter of CSV rows (RFC 4180, section 2). A record ends at a CRLF or LF outside quotes, or at the end of
 * the bytes. A doubled quote closes and reopens its field, so counting quotes is enough. The counter works with every
 * delimiter. In UTF-16, the bytes of `"` and LF may be halves of other characters, so the counter decodes it. In the
 * other charsets of the gateway they have no other meaning.
 *
 * @example
 * const counter = createRowCounter({ hasHeader: true })
 * counter.push(new TextEncoder().encode('"a"\r\n"1"\r\n"2"\r\n'))
 * counter.rows() // 2
 */
export function createRowCounter({ hasHeader, charset = 'utf-8' }: CountedCsv): RowCounter {
  const decoder = /^utf-16(?:le|be)?$/i.test(charset) ? new TextDecoder(charset) : undefined
  const encoder = new TextEncoder()
  let seen = 0
  let firstByte: number | undefined
  let ended = 0
  let quoted = 0
  let inRecord = false
  const countBytes = (chunk: Uint8Array, start: number, end: number): void => {
    for (let index = start; index < end; index += 1) {
      if (chunk[index] === QUOTE) quoted ^= 1
      else if (chunk[index] === LINE_FEED) ended += quoted ^ 1
    }
  }
  return {
    push(received) {
      const chunk = decoder ? encoder.encode(decoder.decode(received, { stream: true })) : received
      // Words of four bytes, because these loops see every byte of a report.
      const head = Math.min(chunk.length, -chunk.byteOffset & 3)
      const count = (chunk.length - head) >> 2
      const words =
        count > 0 ? new Int32Array(chunk.buffer, chunk.byteOffset + head, count) : new Int32Array(0)
      countBytes(chunk, 0, head)
      for (let index = 0; index < count; ) {
        const end = nextLineFeed(words, index)
        quoted ^= parityOfQuotes(words, index, end)
        if (end < count) countBytes(chunk, head + end * 4, head + end * 4 + 4)
        index = end + 1
      }
      countBytes(chunk, head + count * 4, chunk.length)
      firstByte ??= chunk[0]
      seen += chunk.length
      if (chunk.length > 0) inRecord = quoted === 1 || chunk.at(-1) !== 0x0a
    },
    isInQuotes: () => quoted === 1,
    rows() {
      // A byte order mark alone is not a record.
      if (seen === 3 && firstByte === 0xef) return 0
      return Math.max(0, ended + (inRecord ? 1 : 0) - (hasHeader ? 1 : 0))
    },
  }
}

/** Returns the place of the next word with a line feed, or the number of words. */
function nextLineFeed(words: Int32Array, start: number): number {
  let index = start
  while (index < words.length && !hasZeroByte((words[index] ?? 0) ^ LINE_FEEDS)) index += 1
  return index
}

/** Whether words have an odd number of quotes: 0 or 1. */
function parityOfQuotes(words: Int32Array, start: number, end: number): number {
  let marks = 0
  for (let index = start; index < end; index += 1) marks ^= zeroBytes((words[index] ?? 0) ^ QUOTES)
  return ((marks >>> 31) ^ (marks >>> 23) ^ (marks >>> 15) ^ (marks >>> 7)) & 1
}

function hasZeroByte(word: number): boolean {
  return ((word - 0x01_01_01_01) & ~word & 0x80_80_80_80) !== 0
}

/** Returns a word with the highest bit of each byte that is zero. */
function zeroBytes(word: number): number {
  return ~(((word & 0x7f_7f_7f_7f) + 0x7f_7f_7f_7f) | word | 0x7f_7f_7f_7f)
}
