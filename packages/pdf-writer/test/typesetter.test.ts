import { expect, test } from 'vitest'
import { readPdf } from './kit/read-pdf.ts'
import { readObjects } from './kit/read-pdf-objects.ts'
import { openDocument } from '../src/document/pdf-document.ts'
import { type FontFaces, openFontFaces } from '../src/fonts/font-face.ts'
import { PdfObjects } from '../src/objects/pdf-objects.ts'
import { DocumentFonts } from '../src/text/document-fonts.ts'
import { Typesetter } from '../src/text/typesetter.ts'

const ABOUT = {
  title: 'Test',
  author: 'merchant-1',
  subject: 'test',
  language: 'en',
  madeAt: Date.UTC(2026, 10, 22),
  id: 'run-1',
}
const PAGE = { width: 595, height: 842 }

const faces = await openFontFaces()

function typesetterWith(own: FontFaces = faces): Typesetter {
  return new Typesetter(new DocumentFonts(own, new PdfObjects()))
}

/** Returns the length of all texts that HarfBuzz copies for a text in lines. */
function copiedLength(text: string): number {
  let copied = 0
  const buffer = new Proxy(faces.buffer, {
    get: (target, name) => {
      if (name === 'addText') {
        return (part: string, start: number, length: number) => {
          copied += part.length
          target.addText(part, start, length)
        }
      }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  typesetterWith({ ...faces, buffer }).lines(text, 40_000)
  return copied
}

test('HarfBuzz copies at most 25 times the length of a text whose script alternates', () => {
  const text = 'aα\u0301ไก'.repeat(1000)
  const copied = copiedLength(text)
  // Three shapings: the text in one line, its advances, and its lines.
  expect(copied).toBeGreaterThan(text.length)
  expect(copied).toBeLessThan(text.length * 3 * 25)
  expect(copiedLength(text.repeat(4))).toBeLessThan(copied * 4.1)
})

test('a text of 100,000 first strong isolates takes linear time', () => {
  const cpuMs = (text: string): number => {
    const before = process.cpuUsage()
    typesetterWith().line(text)
    return process.cpuUsage(before).user / 1000
  }
  cpuMs('\u2068'.repeat(1000))
  expect(cpuMs(`${'\u2068'.repeat(100_000)}א`)).toBeLessThan(2000)
})

test('shaping keeps the memory of one text, however many texts a synchronous stretch has', {
  tags: ['long'],
}, () => {
  const typesetter = typesetterWith()
  const texts = Array.from({ length: 60 }, (_, index) => `${index} ${'مرحبا '.repeat(1700)}`)
  typesetter.width(`- ${'مرحبا '.repeat(1800)}`)
  const before = process.memoryUsage().external
  for (const text of texts) typesetter.width(text)
  expect(process.memoryUsage().external - before).toBeLessThan(1_000_000)
})

test('an exhausted buffer is an error', () => {
  const lossy = (changed: object): FontFaces => {
    const buffer = new Proxy(faces.buffer, {
      get: (target, name) => {
        const value: unknown = Reflect.get(changed, name) ?? Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    return { ...faces, buffer }
  }
  // HarfBuzz adds nothing to a buffer without memory.
  expect(() => typesetterWith(lossy({ addText: () => {} })).line('مرحبا')).toThrow('HarfBuzz')
  expect(() => typesetterWith(lossy({ getLength: () => 0 })).line('مرحبا')).toThrow('HarfBuzz')
})

test('a text of 200,000 line feeds has as many lines', () => {
  const text = `${'\n'.repeat(200_000)}مرحبا`
  const typesetter = typesetterWith()
  expect(typesetter.width(text)).toBeGreaterThan(0)
  expect(typesetter.lines(text, 40_000)).toHaveLength(200_001)
  expect(typesetter.line(text).width).toBeGreaterThan(0)
})

test('70,000 characters without a font leave the other texts of the document readable', async () => {
  const document = await openDocument(ABOUT, -1)
  const hostile = Array.from({ length: 70_000 }, (_, index) => {
    return String.fromCodePoint(0xf_0000 + index + (index > 65_000 ? 1000 : 0))
  })
  for (let start = 0; start < hostile.length; start += 1000) {
    const page = document.addPage(PAGE)
    page.text(document.typesetter.line(hostile.slice(start, start + 1000).join('')), 40, 40, 0.5)
    document.endPage(page)
  }
  const page = document.addPage(PAGE)
  // A plain text, and texts that are shaped.
  const texts = ['Книга и счёт', 'Кни\u0301га', 'مرحبا']
  for (const [index, text] of texts.entries()) {
    page.text(document.typesetter.line(text), 40, 40 + index * 20, 9)
  }
  document.endPage(page)
  const start = document.take()
  const { pages } = await readPdf(Buffer.concat([start, await document.finish()]))
  expect(pages.at(-1)?.texts.map((text) => text.normalize('NFC'))).toEqual(
    texts.map((text) => text.normalize('NFC')),
  )
  const copied = pages.slice(0, -1).flatMap((each) => each.texts)
  const expected = [...hostile.slice(0, 1000), '\ufffd'.repeat(69_000)].join('')
  // Vitest would print both texts of 70,000 characters.
  expect(copied.join('') === expected).toBe(true)
})

test('a font whose codes are used up goes on under another name, and every text can be copied', async () => {
  const document = await openDocument(ABOUT, -1)
  const font = document.fonts.plain('regular')
  const codes = Array.from({ length: 69_000 }, (_, index) => {
    return font.codeOf(index < 65_500 ? index + 1 : 40, index.toString(36))
  })
  expect(new Set(codes.map(({ name }) => name)).size).toBe(2)
  const page = document.addPage(PAGE)
  for (const [index, code] of [0, 1000, 60_000, 68_999].entries()) {
    const { name = '', bytes = '' } = codes[code] ?? {}
    const span = { font: name, show: `(${bytes})Tj`, rise: 0 }
    page.text({ spans: [span], width: 500, isRightToLeft: false }, 40, 40 + index * 20, 9)
  }
  document.endPage(page)
  const start = document.take()
  const { pages } = await readPdf(Buffer.concat([start, await document.finish()]))
  expect(pages[0]?.texts.join('')).toBe('0rs1aao1h8n')
  expect(document.fonts.copied.areLost).toBe(false)
})

/** Writes texts below each other on a page. Returns the texts of its copy, and how many codes have a text. */
async function copyOf(texts: readonly string[]) {
  const document = await openDocument(ABOUT, -1)
  const page = document.addPage(PAGE)
  for (const [index, text] of texts.entries()) {
    // Readers skip a text beside the page.
    page.text(document.typesetter.line(text), 40, index * 20, 0.1)
  }
  document.endPage(page)
  const start = document.take()
  const bytes = Buffer.concat([start, await document.finish()])
  const { pages } = await readPdf(bytes)
  const codes = [...readObjects(bytes).objects.values()].flatMap((object) => {
    return [...object.matchAll(/(\d+) beginbfchar/g)].map(([, count]) => Number(count))
  })
  return {
    texts: pages.flatMap((each) => each.texts),
    codes: codes.reduce((sum, count) => sum + count, 0),
  }
}

test('a ligature has one code, whatever invisible characters it contains', async () => {
  const selectors = Array.from({ length: 1000 }, (_, index) => {
    return `ff${String.fromCodePoint(0xe_0200 + (index % 240), 0xe_0200 + Math.floor(index / 240))}i `
  })
  const { texts, codes } = await copyOf(['नमस्ते दुनिया', selectors.join('')])
  expect(texts[0]).toBe('नमस्ते दुनिया')
  const copied = texts
    .slice(1)
    .join('')
    .replaceAll(/[\s\u2060]/g, '')
  // Vitest would print both texts.
  expect(copied === 'ffi'.repeat(1000)).toBe(true)
  expect(codes).toBeLessThan(100)
})

test('a glyph keeps its first texts, also when the limit is reached', async () => {
  const document = await openDocument(ABOUT, -1)
  const font = document.fonts.plain('regular')
  const first = Array.from({ length: 5000 }, (_, index) => font.codeOf(40, `a${index}`))
  const later = Array.from({ length: 50_000 }, (_, index) => font.codeOf(40, `b${index}`))
  expect(document.fonts.copied.areLost).toBe(true)
  expect(new Set(later.map(({ name, bytes }) => name + bytes)).size).toBeLessThan(7000)
  expect(font.codeOf(40, 'a4000')).toEqual(first[4000])
  expect(later.at(-1)).toEqual(font.codeOf(40, '\ufffd'))
  expect(font.codeOf(41, 'usual')).not.toEqual(later.at(-1))
})
