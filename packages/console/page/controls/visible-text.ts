/** A part of a cell's text. */
interface TextPart {
  readonly text: string
  /** `mark`: stands for a character that nobody would see. `hit`: matches the search. */
  readonly kind: 'plain' | 'mark' | 'hit'
}

/** Controls, and characters that format others: a right-to-left override disguises what follows. Joiners join emoji. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Splits a text into parts, so that every character of it is seen, and what matches the search. */
export function visibleText(text: string, query = ''): readonly TextPart[] {
  const parts: TextPart[] = []
  let start = 0
  for (const { 0: unseen, index } of text.matchAll(UNSEEN)) {
    parts.push(...splitHits(text.slice(start, index), query))
    parts.push({ text: pictureOf(unseen), kind: 'mark' })
    start = index + unseen.length
  }
  return [...parts, ...splitHits(text.slice(start), query)]
}

/** Returns the beginning of a text, without half a character at its end. */
export function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Unicode has pictures of the control characters. */
function pictureOf(unseen: string): string {
  const code = unseen.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return '␡'
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

function splitHits(text: string, query: string): readonly TextPart[] {
  if (text === '') return []
  const lower = text.toLowerCase()
  // The lower case of a few letters has another length.
  if (query === '' || lower.length !== text.length) return [{ text, kind: 'plain' }]
  const parts: TextPart[] = []
  let start = 0
  for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, start)) {
    if (at > start) parts.push({ text: text.slice(start, at), kind: 'plain' })
    start = at + query.length
    parts.push({ text: text.slice(at, start), kind: 'hit' })
  }
  if (start < text.length) parts.push({ text: text.slice(start), kind: 'plain' })
  return parts
}
