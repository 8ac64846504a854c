/** Controls, and characters that format others: a right-to-left override disguises what follows. Joiners join emoji. */
const UNSEEN = /((?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])/u

/** Splits a text into parts, so that every character is seen. A mark stands for one that nobody would see. */
export function visibleText(text: string) {
  const parts = text.split(UNSEEN).map((part, index) => {
    return index % 2 === 1 ? { text: pictureOf(part), isMark: true } : { text: part, isMark: false }
  })
  return parts.filter((part) => part.text !== '')
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
