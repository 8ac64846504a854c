/** Texts of these scripts have no spaces between words. */
const UNSPACED =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** A line may end after these characters. */
const BREAK_AFTER = /[\s\-/_,;:|.@?&=\u2010\u2013\u2014]/

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
  const unspaced = new Set<number>()
  for (const { index, segment } of UNSPACED.test(text) ? words.segment(text) : []) {
    if (UNSPACED.test(segment)) unspaced.add(index)
  }
  const lines: string[] = []
  let [start, width, opportunity] = [0, 0, 0]
  for (const { index, segment } of graphemes.segment(text)) {
    const isAfterBreak = BREAK_AFTER.test(text[index - 1] ?? '') && segment !== ' '
    if (isAfterBreak || unspaced.has(index)) opportunity = index
    const end = index + segment.length
    width += widthOf(advances, index, end)
    if (width <= widthMax || segment === ' ' || index === start) continue
    const next = opportunity > start ? opportunity : index
    lines.push(text.slice(start, next).trimEnd())
    start = next
    while (text[start] === ' ' && start < index) start += 1
    width = widthOf(advances, start, end)
  }
  lines.push(text.slice(start).trimEnd())
  return lines
}

function widthOf(advances: readonly number[], start: number, end: number): number {
  let width = 0
  for (let index = start; index < end; index += 1) width += advances[index] ?? 0
  return width
}
