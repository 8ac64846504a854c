/** Texts of these scripts have no spaces between words. */
const UNSPACED =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** A line may end after these characters. */
const BREAK_AFTER = /[\s\-/_,;:|.@?&=\u2010\u2013\u2014]/
const PLAIN = /^[\u0020-\u02ff\u0370-\u052f\u2010-\u2027\u20a0-\u20bf]*$/

const words = new Intl.Segmenter('und', { granularity: 'word' })
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * Breaks a text into lines. Lines end after spaces and some punctuation, and between the words of scripts without
 * spaces. A part that is wider than a line is broken between characters. Spaces around a break are left out.
 *
 * @param advances the advance of each UTF-16 unit; 0 for units that continue a cluster
 */
export function breakLines(
  text: string,
  advances: readonly number[],
  widthMax: number,
): readonly string[] {
  const starts = startsOf(text)
  const lines: string[] = []
  let [start, width, opportunity] = [0, 0, 0]
  for (let index = 0; index < text.length; index += 1) {
    const isStart = starts.characters === undefined || starts.characters.has(index)
    const isOpportunity = isStart && starts.words(index)
    if (isOpportunity) opportunity = index
    width += advances[index] ?? 0
    const isSpace = text[index] === ' '
    if (width <= widthMax || isSpace || index === start || !isStart) continue
    const end = opportunity > start ? opportunity : index
    lines.push(text.slice(start, end).trimEnd())
    start = end
    while (text[start] === ' ' && start < index) start += 1
    width = 0
    for (let kept = start; kept <= index; kept += 1) width += advances[kept] ?? 0
  }
  lines.push(text.slice(start).trimEnd())
  return lines
}

interface Starts {
  /** Where characters start. `undefined` if every unit is a character. */
  readonly characters: ReadonlySet<number> | undefined
  /** Whether a line may start at a place. */
  readonly words: (index: number) => boolean
}

function startsOf(text: string): Starts {
  const isAfterBreak = (index: number): boolean => {
    return BREAK_AFTER.test(text[index - 1] ?? '') && text[index] !== ' '
  }
  if (PLAIN.test(text)) return { characters: undefined, words: isAfterBreak }
  const unspaced = new Set<number>()
  if (UNSPACED.test(text)) {
    for (const { index, segment } of words.segment(text)) {
      if (UNSPACED.test(segment)) unspaced.add(index)
    }
  }
  return {
    characters: new Set(Array.from(graphemes.segment(text), ({ index }) => index)),
    words: (index) => isAfterBreak(index) || unspaced.has(index),
  }
}
