import bidiFactory from 'bidi-js'
import { NO_TEXT } from '../fonts/copied-texts.ts'
import type { EmbeddedFont } from '../fonts/embedded-font.ts'
import type { FontFamily, FontWeight } from '../fonts/font-families.ts'
import { type DocumentFonts, FIRST_FAMILY } from './document-fonts.ts'
import { resolveIsolates } from './resolve-isolates.ts'
import type { TextLine, TextSpan } from './text-line.ts'

// The package's types describe an ES module, and Node loads its CommonJS module.
const bidi = (typeof bidiFactory === 'function' ? bidiFactory : bidiFactory.default)()

/** A part of a text in one direction and one font. */
interface Run {
  readonly start: number
  readonly end: number
  /** An odd level is from right to left (Unicode Bidirectional Algorithm). */
  readonly level: number
  /** `undefined` for characters without a font. */
  readonly family: FontFamily | undefined
}

/** A shaped glyph, with its measures in thousandths of its size. */
interface ShapedGlyph {
  readonly glyph: number
  /** The text for which the glyph stands. */
  readonly text: string
  readonly advance: number
  readonly right: number
  readonly up: number
}

/** A shaped run. */
interface ShapedRun {
  readonly font: EmbeddedFont
  readonly glyphs: readonly ShapedGlyph[]
}

/** Shapes a text of any script as one line. */
export function shapeLine(fonts: DocumentFonts, text: string, weight: FontWeight): TextLine {
  const { runs, isRightToLeft } = runsOf(fonts, text, weight)
  const shaped = inVisualOrder(runs).map((run) => shapeRun(fonts, text, run, weight))
  const width = shaped.reduce((sum, { glyphs }) => {
    return sum + glyphs.reduce((part, { advance }) => part + advance, 0)
  }, 0)
  return { spans: shaped.flatMap(spansOf), width, isRightToLeft }
}

/** Returns the advance of each UTF-16 unit of a text in one line. A unit that continues a cluster has 0. */
export function shapedAdvances(
  fonts: DocumentFonts,
  text: string,
  weight: FontWeight,
): readonly number[] {
  const advances = Array.from({ length: text.length }, () => 0)
  for (const run of runsOf(fonts, text, weight).runs) {
    const font = fontOf(fonts, run, weight)
    if (run.family === undefined) {
      let start = run.start
      const { advance } = boxOf(font)
      for (const character of text.slice(run.start, run.end)) {
        advances[start] = advance
        start += character.length
      }
      continue
    }
    for (const { cluster, xAdvance } of shape(fonts, font, text, run)) {
      advances[cluster] = (advances[cluster] ?? 0) + xAdvance
    }
  }
  return advances
}

function runsOf(
  fonts: DocumentFonts,
  text: string,
  weight: FontWeight,
): { readonly runs: readonly Run[]; readonly isRightToLeft: boolean } {
  const { levels, isRightToLeft } = levelsOf(text)
  const runs: Run[] = []
  let family: FontFamily = FIRST_FAMILY
  let index = 0
  for (const character of text) {
    const level = levels[index] ?? 0
    const chosen = fonts.familyOf(character, family, weight)
    const last = runs.at(-1)
    const end = index + character.length
    if (last && last.level === level && last.family === chosen) {
      runs[runs.length - 1] = { ...last, end }
    } else {
      runs.push({ start: index, end, level, family: chosen })
    }
    family = chosen ?? family
    index = end
  }
  return { runs, isRightToLeft }
}

// Letters from right to left, and characters that change the direction.
const HAS_DIRECTIONS =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

function levelsOf(text: string): {
  readonly levels: Uint8Array
  readonly isRightToLeft: boolean
} {
  if (!HAS_DIRECTIONS.test(text)) {
    return { levels: new Uint8Array(text.length), isRightToLeft: false }
  }
  const { levels, paragraphs } = bidi.getEmbeddingLevels(
    resolveIsolates(text, (character) => bidi.getBidiCharTypeName(character)),
  )
  return { levels, isRightToLeft: (paragraphs[0]?.level ?? 0) % 2 === 1 }
}

/** Orders runs from left to right (rule L2 of the Unicode Bidirectional Algorithm). A text may have a million runs. */
function inVisualOrder(runs: readonly Run[]): readonly Run[] {
  let ordered = runs
  const highest = runs.reduce((most, { level }) => Math.max(most, level), 0)
  for (let level = highest; level > 0; level -= 1) ordered = withReversed(ordered, level)
  return ordered
}

/** Reverses each sequence of runs that have at least a level. */
function withReversed(runs: readonly Run[], level: number): readonly Run[] {
  const ordered: Run[] = []
  let start = 0
  while (start < runs.length) {
    let end = start
    while ((runs[end]?.level ?? -1) >= level) end += 1
    for (const run of runs.slice(start, end).toReversed()) ordered.push(run)
    const next = runs[end]
    if (next) ordered.push(next)
    start = end + 1
  }
  return ordered
}

function shapeRun(fonts: DocumentFonts, text: string, run: Run, weight: FontWeight): ShapedRun {
  const font = fontOf(fonts, run, weight)
  if (run.family === undefined) return { font, glyphs: boxesOf(fonts, font, text, run) }
  const shaped = shape(fonts, font, text, run)
  const starts = [...new Set(shaped.map(({ cluster }) => cluster))].toSorted((a, b) => a - b)
  const ends = new Map(starts.map((start, index) => [start, starts[index + 1] ?? run.end]))
  const glyphs = inClusters(shaped).flatMap((cluster) => {
    const start = cluster[0]?.cluster ?? run.start
    // From right to left, the glyph of the first character is the last one.
    const isReversed = run.level % 2 === 1
    const logical = isReversed ? cluster.toReversed() : cluster
    const advances = logical.map(({ xAdvance }) => xAdvance)
    const divided = dividedText(text.slice(start, ends.get(start)), advances)
    const texts = isReversed ? divided.toReversed() : divided
    return cluster.map(({ codepoint, xAdvance, xOffset, yOffset }, index) => {
      return {
        glyph: codepoint,
        text: texts[index] ?? NO_TEXT,
        advance: xAdvance,
        right: xOffset,
        up: yOffset,
      }
    })
  })
  return { font, glyphs }
}

type HarfBuzzGlyph = ReturnType<typeof shape>[number]

function inClusters(glyphs: readonly HarfBuzzGlyph[]): readonly (readonly HarfBuzzGlyph[])[] {
  const clusters: HarfBuzzGlyph[][] = []
  for (const glyph of glyphs) {
    const last = clusters.at(-1)
    if (last?.[0]?.cluster === glyph.cluster) last.push(glyph)
    else clusters.push([glyph])
  }
  return clusters
}

/** Characters that change no glyph's text. Joiners are a part of the spelling. */
const IGNORABLE = /[^\P{Default_Ignorable_Code_Point}\u200c\u200d]/gu

/**
 * Divides the text of a cluster between its glyphs: a character for each, and the rest for the last. If there are more
 * glyphs than characters, the glyphs with a width come first: readers take a wide glyph without a text for a space.
 */
function dividedText(text: string, advances: readonly number[]): readonly string[] {
  const characters = Array.from(text.replaceAll(IGNORABLE, ''))
  const places = advances.map((_, index) => index)
  const byWidth = places.toSorted((a, b) => Number(advances[a] === 0) - Number(advances[b] === 0))
  const chosen = byWidth.slice(0, characters.length).toSorted((a, b) => a - b)
  const texts = advances.map(() => NO_TEXT)
  for (const [place, index] of chosen.entries()) {
    const isLast = place === chosen.length - 1
    texts[index] = isLast ? characters.slice(place).join('') : (characters[place] ?? NO_TEXT)
  }
  return texts
}

// A box with a question mark, which the first font has.
const REPLACEMENT = 0xfffd

/** The sign for a character that no font has. */
function boxOf({ face }: EmbeddedFont): Pick<ShapedGlyph, 'glyph' | 'advance'> {
  const glyph = face.font.nominalGlyph(REPLACEMENT) ?? 0
  return { glyph, advance: face.font.glyphHAdvance(glyph) }
}

/** Shows the sign for each character of a run that no font has. */
function boxesOf(
  fonts: DocumentFonts,
  font: EmbeddedFont,
  text: string,
  run: Run,
): readonly ShapedGlyph[] {
  const box = boxOf(font)
  const characters = Array.from(text.slice(run.start, run.end))
  return (run.level % 2 === 1 ? characters.toReversed() : characters).map((character) => {
    return { ...box, text: fonts.addMissing(character), right: 0, up: 0 }
  })
}

function fontOf(fonts: DocumentFonts, { family }: Run, weight: FontWeight): EmbeddedFont {
  return fonts.embed(family ?? FIRST_FAMILY, weight)
}

// HarfBuzz looks at five characters.
const CONTEXT_LENGTH = 10

function shape(fonts: DocumentFonts, { face }: EmbeddedFont, text: string, run: Run) {
  const { harfbuzz, buffer } = fonts.faces
  const { ClusterLevel, Direction } = harfbuzz
  buffer.reset()
  buffer.setClusterLevel(ClusterLevel.MONOTONE_CHARACTERS)
  // HarfBuzz sees some text around the run, because letters join across its ends. It copies what it sees.
  const from = Math.max(0, run.start - CONTEXT_LENGTH)
  const around = text.slice(from, run.end + CONTEXT_LENGTH)
  buffer.addText(around, run.start - from, run.end - run.start)
  const added = buffer.getLength()
  buffer.setDirection(run.level % 2 === 1 ? Direction.RTL : Direction.LTR)
  buffer.guessSegmentProperties()
  harfbuzz.shape(face.font, buffer)
  // HarfBuzz reports no error when its memory is exhausted: it drops characters or glyphs.
  if (added < lengthOf(text, run) || buffer.getLength() === 0) {
    throw new Error('HarfBuzz cannot shape a text. Its memory may be exhausted.')
  }
  const positions = buffer.getGlyphPositions()
  return buffer.getGlyphInfos().map(({ codepoint, cluster }, index) => {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {}
    return { codepoint, cluster: cluster + from, xAdvance, xOffset, yOffset }
  })
}

/** Returns how many characters a run has. */
function lengthOf(text: string, { start, end }: Run): number {
  let length = 0
  for (let index = start; index < end; length += 1) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
  }
  return length
}

/**
 * Writes the operators of a run. Glyphs without a text come last, so that readers find words without them. Adjustments
 * are in thousandths of the size, and move to the left.
 */
function spansOf({ font, glyphs }: ShapedRun): readonly TextSpan[] {
  const spans: TextSpan[] = []
  let [elements, bytes, rise, reached, name] = ['', '', 0, 0, font.name]
  const moveTo = (place: number): void => {
    if (place === reached) return
    elements += `${bytes === '' ? '' : `(${bytes})`}${reached - place}`
    bytes = ''
    reached = place
  }
  const end = (): void => {
    if (bytes !== '') elements += `(${bytes})`
    if (elements !== '') spans.push({ font: name, show: `[${elements}]TJ`, rise })
    elements = ''
    bytes = ''
  }
  let width = 0
  const placed = glyphs.map((glyph) => {
    const place = width + glyph.right
    width += glyph.advance
    return { ...glyph, place }
  })
  const isTextless = ({ text }: ShapedGlyph): boolean => text === NO_TEXT
  const ordered = [...placed.filter((glyph) => !isTextless(glyph)), ...placed.filter(isTextless)]
  for (const { glyph, text, up, place } of ordered) {
    const code = font.codeOf(glyph, text)
    if (up !== rise || code.name !== name) end()
    rise = up
    name = code.name
    moveTo(place)
    bytes += code.bytes
    reached += font.face.font.glyphHAdvance(glyph)
  }
  moveTo(width)
  end()
  return spans
}
