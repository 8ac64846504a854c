const LEFT_TO_RIGHT = '\u2066'
const RIGHT_TO_LEFT = '\u2067'
const FIRST_STRONG = '\u2068'
const END = '\u2069'

const RESOLVED: Readonly<Record<string, string>> = {
  L: LEFT_TO_RIGHT,
  R: RIGHT_TO_LEFT,
  AL: RIGHT_TO_LEFT,
}

/**
 * Replaces each first strong isolate (U+2068) by the isolate of its direction (rule X5c of the Unicode Bidirectional
 * Algorithm). This function reads a text once, while bidi-js reads the rest of the text again for each such isolate.
 *
 * @param typeOf returns the bidirectional type of a character
 */
export function resolveIsolates(text: string, typeOf: (character: string) => string): string {
  if (!text.includes(FIRST_STRONG)) return text
  const characters = Array.from(text)
  // The open isolates: the place of an isolate without a direction so far, and -1 for another one.
  const open: number[] = []
  for (const [index, character] of characters.entries()) {
    const type = typeOf(character)
    const direction = RESOLVED[type]
    const last = open.at(-1) ?? -1
    if (character === FIRST_STRONG) {
      characters[index] = LEFT_TO_RIGHT
      open.push(index)
    } else if (character === LEFT_TO_RIGHT || character === RIGHT_TO_LEFT) {
      open.push(-1)
    } else if (character === END) {
      open.pop()
    } else if (type === 'B') {
      // A paragraph ends its isolates.
      open.length = 0
    } else if (direction !== undefined && last >= 0) {
      characters[last] = direction
      open[open.length - 1] = -1
    }
  }
  return characters.join('')
}
