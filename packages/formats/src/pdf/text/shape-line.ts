import bidiFactory from 'bidi-js'
import { type DocumentFont, type DocumentFonts, REPLACEMENT } from './document-fonts.ts'
import { FONT_FAMILIES, type FontFamily, type FontWeight } from './fonts.ts'

// The package's types describe an ES module, and Node loads its CommonJS module.
const bidi = (typeof bidiFactory === 'function' ? bidiFactory : bidiFactory.default)()

export interface TextSpan {
  readonly font: DocumentFont
  readonly show: string
  /** How far the glyphs stand above the line, in thousandths of the font's size. */
  readonly rise: number
}

/** A line of text, ready for a page: its spans from left to right. */
export interface TextLine {
  readonly spans: readonly TextSpan[]
  /** In thousandths of the font's size. */
  readonly width: number
  readonly isRightToLeft: boolean
}

/** A shaped glyph, with its measures in thousandths of its size. */
interface ShapedGlyph {
  readonly glyph: number
  text: string
  /** The place of the text in its line. */
  readonly cluster: number
  readonly advance: number
  readonly right: number
  readonly up: number
}

/** A part of a text in one direction and one font. */
interface Run {
  readonly font: DocumentFont
  readonly start: number
  end: number
  readonly isReversed: boolean
}

interface ShapedRun {
  readonly font: DocumentFont
  readonly glyphs: readonly ShapedGlyph[]
}

/** A text as one line of shaped runs, from left to right. */
export interface ShapedText {
  readonly runs: readonly ShapedRun[]
  readonly isRightToLeft: boolean
}

/** Shapes a text of any script as one line. A character without a font becomes U+FFFD. */
export function shapeText(fonts: DocumentFonts, text: string, weight: FontWeight): ShapedText {
  const embedding = bidi.getEmbeddingLevels(text)
  const places: number[] = []
  const order = bidi.getReorderedIndices(text, embedding)
  for (const [place, index] of order.entries()) places[index] = place
  const { runs, shown } = runsOf(fonts, text, embedding.levels, weight)
  const visual = runs.toSorted((a, b) => (places[a.start] ?? 0) - (places[b.start] ?? 0))
  return {
    runs: visual.map((run) => ({ font: run.font, glyphs: shapeRun(fonts, shown, run) })),
    isRightToLeft: (embedding.paragraphs[0]?.level ?? 0) % 2 === 1,
  }
}

export function lineOf({ runs, isRightToLeft }: ShapedText): TextLine {
  return {
    spans: runs.flatMap(spansOf),
    width: sum(runs.flatMap(({ glyphs }) => glyphs.map(({ advance }) => advance))),
    isRightToLeft,
  }
}

/** Returns the advance of each UTF-16 unit of a text. A unit that continues a cluster has 0. */
export function advancesOf({ runs }: ShapedText, length: number): readonly number[] {
  const advances = Array.from({ length }, () => 0)
  for (const { cluster, advance } of runs.flatMap(({ glyphs }) => glyphs)) {
    advances[cluster] = (advances[cluster] ?? 0) + advance
  }
  return advances
}

/** Divides a text where its direction or its font changes. */
function runsOf(
  fonts: DocumentFonts,
  text: string,
  levels: Uint8Array,
  weight: FontWeight,
): { readonly runs: readonly Run[]; readonly shown: string } {
  const runs: Run[] = []
  let family: FontFamily = FONT_FAMILIES[0]
  let shown = ''
  let [last, level] = [undefined as Run | undefined, -1]
  for (const character of text) {
    const start = shown.length
    const chosen = fonts.familyOf(character, family, weight)
    fonts.isMissing ||= chosen === undefined
    // The replacement is as long as the character, so that the places of both texts are the same.
    shown += chosen ? character : REPLACEMENT.padEnd(character.length, INVISIBLE)
    family = chosen ?? FONT_FAMILIES[0]
    const font = fonts.embed(family, weight)
    if (last?.font === font && level === levels[start]) {
      last.end = shown.length
    } else {
      level = levels[start] ?? 0
      last = { font, start, end: shown.length, isReversed: level % 2 === 1 }
      runs.push(last)
    }
  }
  return { runs, shown }
}

/** A character without a shape and a text: readers show nothing for it. A glyph without a text would be an unknown character to them. */
const INVISIBLE = '\u2060'

/** Characters that change no glyph's text. Joiners are a part of the spelling. */
const IGNORABLE = /[^\P{Default_Ignorable_Code_Point}\u200c\u200d]/gu

function shapeRun(
  { faces: { harfbuzz, buffer } }: DocumentFonts,
  text: string,
  { font, start, end, isReversed }: Run,
): readonly ShapedGlyph[] {
  const { ClusterLevel, Direction } = harfbuzz
  buffer.reset()
  buffer.setClusterLevel(ClusterLevel.MONOTONE_CHARACTERS)
  // HarfBuzz sees the text around the run, because letters join across its ends.
  buffer.addText(text, start, end - start)
  buffer.setDirection(isReversed ? Direction.RTL : Direction.LTR)
  buffer.guessSegmentProperties()
  harfbuzz.shape(font.face.font, buffer)
  const positions = buffer.getGlyphPositions()
  const glyphs = buffer.getGlyphInfos().map(({ codepoint: glyph, cluster }, index) => {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {}
    return { glyph, text: INVISIBLE, cluster, advance: xAdvance, right: xOffset, up: yOffset }
  })
  // From right to left, the glyph of the first character is the last one.
  const logical = isReversed ? glyphs.toReversed() : glyphs
  for (let first = 0; first < logical.length; ) {
    const { cluster = start } = logical[first] ?? {}
    const next = logical.findIndex((glyph, index) => index > first && glyph.cluster !== cluster)
    const last = next < 0 ? logical.length : next
    const own = text.slice(cluster, logical[next]?.cluster ?? end).replaceAll(IGNORABLE, '')
    divideText(own, logical.slice(first, last))
    first = last
  }
  return glyphs
}

/** A character for each glyph, and the rest for the last. Readers take a wide glyph without a text for a space. */
function divideText(text: string, glyphs: readonly ShapedGlyph[]): void {
  const characters = Array.from(text)
  const wideFirst = glyphs.toSorted((a, b) => Number(a.advance === 0) - Number(b.advance === 0))
  const chosen = new Set(wideFirst.slice(0, characters.length))
  for (const glyph of glyphs.filter((one) => chosen.has(one))) {
    chosen.delete(glyph)
    glyph.text = characters.splice(0, chosen.size === 0 ? characters.length : 1).join('')
  }
}

/** Glyphs without a text come last, so that readers find words. Adjustments move to the left. */
function spansOf({ font, glyphs }: ShapedRun): readonly TextSpan[] {
  const spans: TextSpan[] = []
  let [elements, codes, rise, reached, width] = ['', '', 0, 0, 0]
  const moveTo = (place: number): void => {
    if (place === reached) return
    elements += `${codes === '' ? '' : `(${codes})`}${reached - place}`
    codes = ''
    reached = place
  }
  const end = (): void => {
    if (codes !== '') elements += `(${codes})`
    if (elements !== '') spans.push({ font, show: `[${elements}]TJ`, rise })
    elements = ''
    codes = ''
  }
  const placed = glyphs.map((glyph) => {
    width += glyph.advance
    return { ...glyph, place: width - glyph.advance + glyph.right }
  })
  const isTextless = ({ text }: ShapedGlyph): boolean => text === INVISIBLE
  const ordered = [...placed.filter((glyph) => !isTextless(glyph)), ...placed.filter(isTextless)]
  for (const { glyph, text, up, place } of ordered) {
    if (up !== rise) end()
    rise = up
    moveTo(place)
    codes += font.codeOf(glyph, text)
    reached += font.face.font.glyphHAdvance(glyph)
  }
  moveTo(width)
  end()
  return spans
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0)
}
