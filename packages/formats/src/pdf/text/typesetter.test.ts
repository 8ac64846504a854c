import Kit from 'pdfkit'
import { expect, test } from 'vitest'
import { readPdf } from '../../../test/kit/read-pdf.ts'
import { reportFile } from '../../../../gateway/test/kit/report-file.ts'
import { LIMITS } from '../../../../common/src/limits.ts'
import type { Color } from '../document/page.ts'
import { PdfDocument } from '../document/pdf-document.ts'
import { DocumentFonts } from './document-fonts.ts'
import { openFontFaces } from './fonts.ts'
import { Typesetter } from './typesetter.ts'

const BLACK: Color = [0, 0, 0]
const faces = await openFontFaces()

function typesetter(): Typesetter {
  return new Typesetter(new DocumentFonts(faces, new Kit({ autoFirstPage: false, font: null })))
}

/** Writes texts below each other on a page, and returns the texts of its copy. */
async function copyOf(texts: readonly string[]): Promise<readonly string[]> {
  const document = await PdfDocument.open(reportFile([]).about, false)
  const page = document.addPage({ width: 595, height: 842 })
  for (const [index, text] of texts.entries()) {
    page.text(document.typesetter.line(text), 40, 40 + index * 20, 0.1, BLACK)
  }
  const start = document.take()
  const end = document.finish(document.typesetter.line('1'), 1, BLACK)
  const { pages } = await readPdf(Buffer.concat([start, end]))
  return pages.flatMap((each) => each.texts)
}

const MAX = LIMITS.pdfTextLengthMax
test.each([
  ['isolates without a direction', `${'\u2068'.repeat(MAX - 1)}א`],
  ['alternating scripts', 'aα\u0301ไก'.repeat(MAX / 5)],
  ['one letter with marks', `ب${'\u064b'.repeat(MAX - 1)}`],
  ['line ends', `${'\n'.repeat(MAX - 5)}مرحبا`],
  ['directions', 'aب'.repeat(MAX / 2)],
])('a text of the greatest length with %s takes no second', (_name, text) => {
  const before = process.cpuUsage()
  expect(typesetter().lines(text, 40_000).length).toBeGreaterThan(0)
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1)
})

test('shaping keeps the memory of one text, however many texts a synchronous stretch has', {
  tags: ['long'],
}, () => {
  const own = typesetter()
  const texts = Array.from({ length: 60 }, (_, index) => `${index} ${'مرحبا '.repeat(1700)}`)
  own.width(`- ${'مرحبا '.repeat(1800)}`)
  const before = process.memoryUsage().external
  for (const text of texts) own.width(text)
  expect(process.memoryUsage().external - before).toBeLessThan(1_000_000)
})

test('readers find each text of a glyph', async () => {
  // Each of these letters is the same glyph without its dots.
  const texts = ['بيت', 'تين', 'نبت', 'नमस्ते दुनिया', 'Книга и счёт', 'Кни\u0301га']
  expect((await copyOf(texts)).map((text) => text.normalize('NFC'))).toEqual(texts)
})

test('a glyph that stands for too many texts keeps its first codes, and other glyphs get theirs', () => {
  const kit = new Kit({ autoFirstPage: false, font: null })
  const font = new DocumentFonts(faces, kit).plain.regular
  const codes = Array.from({ length: 12_000 }, (_, index) => font.codeOf(40, `a${index}`))
  expect(new Set(codes).size).toBe(10_001)
  expect(codes.at(-1)).toBe(codes[0])
  expect(font.codeOf(40, 'a4000')).toBe(codes[4000])
  expect(codes).not.toContain(font.codeOf(41, 'other'))
})

test('a character without a font becomes a sign in its place', async () => {
  expect(await copyOf(['a\u{f0000}b ᚠ c'])).toEqual(['a\ufffdb \ufffd c'])
})
