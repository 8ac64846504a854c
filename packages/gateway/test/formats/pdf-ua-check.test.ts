import { afterEach, expect, test, vi } from 'vitest'
import type { FileColumn } from '../../src/formats/columns.ts'
import { pdf } from '../../src/formats/pdf/pdf.ts'
import { checkPdfUa } from '../kit/pdf-ua/check-pdf-ua.ts'
import { reportFile } from '../kit/report-file.ts'

const COLUMNS: readonly FileColumn[] = [
  { title: 'Merchant', kind: 'text' },
  { title: 'Amount', kind: 'money' },
]
const CURRENCY = { title: 'Currency', kind: 'text', sql: 'any' } as const
const AMOUNT = { title: 'Amount', kind: 'money', sql: 'any' } as const

/** Changes what the writer writes: each object, and each stream before compression. */
const broken = vi.hoisted(() => ({ change: (text: string): string => text }))

vi.mock(import('../../src/formats/pdf/objects/pdf-objects.ts'), async (importOriginal) => {
  const { PdfObjects } = await importOriginal()
  class BrokenObjects extends PdfObjects {
    override write(body: string, object?: number): number {
      return super.write(broken.change(body), object)
    }

    override writePacked(body: string, object: number): void {
      super.writePacked(broken.change(body), object)
    }

    override writeStream(entries: string, bytes: Uint8Array | string, object?: number): number {
      // A stream of objects has the objects that `writePacked` changed.
      const isContent = typeof bytes === 'string' && !entries.includes('/ObjStm')
      const content = isContent ? broken.change(bytes) : bytes
      return super.writeStream(entries, content, object)
    }

    override writePlainStream(entries: string, bytes: Uint8Array, object?: number): number {
      const isText = entries.includes('/XML')
      const content = isText ? Buffer.from(broken.change(Buffer.from(bytes).toString())) : bytes
      return super.writePlainStream(entries, content, object)
    }
  }
  return { PdfObjects: BrokenObjects }
})

/** Returns the faults of a report with a table and totals. */
async function faultsOf(): Promise<string> {
  const file = reportFile(COLUMNS, {}, { sums: { by: [CURRENCY], columns: [AMOUNT] } })
  const chunks = async function* () {
    yield { bytes: Buffer.from('Κατάστημα\x1f1.50\x1fEUR\x1f2\x1f1.50\x1e'), rows: 1 }
  }
  const pieces: Uint8Array[] = []
  for await (const { bytes } of pdf.plan(file).write(chunks())) pieces.push(bytes)
  return checkPdfUa(Buffer.concat(pieces)).join('\n')
}

afterEach(() => {
  broken.change = (text) => text
})

test('a document of the writer has no fault', async () => {
  expect(await faultsOf()).toBe('')
})

test.each([
  ['a text that is not marked', '/H1<</MCID 0>>BDC', '/H1 BMC', 'Tj paints outside of marked'],
  ['a shape that is not marked', /^\/Artifact BMC/, '/Any BMC', 'S paints outside of marked'],
  ['an id of two contents', '<</MCID 1>>', '<</MCID 0>>', 'has an id twice'],
  ['marked content in other marked content', '\nEMC\n', '\n', 'is inside other marked content'],
  ['marked content that crosses texts', 'EMC\nET', 'ET\nEMC', 'crosses a text object'],
  ['an artifact of no kind', /\/Type\/Pagination\S+>>/g, '>>', 'No artifact is a footer'],
  ['a tree of parents that lacks a content', /^\[ \d+ 0 R/, '[', 'does not lead to its element'],
  ['a content without an element', /(\/S\/H1.*)\/K 0/, '$1', 'does not lead to its element'],
  ['a content of two elements', /(\/S\/P\/.*)\/K\[ 1 2/, '$1/K[ 0 1 2', 'has two elements'],
  ['a wrong parent', /(\/S\/TR)\/P \d+/, '$1/P 1', 'TR, does not name its parent'],
  ['a heading that skips a level', '/S/H2', '/S/H4', 'of level 4 follows one of level 1'],
  ['a row of too many cells', '/S/TD', '/S/TD/A<</O/Table/ColSpan 2>>', 'have 2, 4 cells'],
  ['a header cell without a scope', '/Scope/Column', '', 'has no scope'],
  ['a table without headers', /\/S\/TH/g, '/S/TD', 'does not begin with header cells'],
  ['a document without a language', /\/Lang<\w+>/, '', 'has no language'],
  ['a window without the title', '/DisplayDocTitle true', '', 'does not show the title'],
  ['metadata of another title', '>Any</rdf:li>', '>None</rdf:li>', 'do not have the title'],
  ['metadata without PDF/UA', /<pdfuaid:part>.*?>/, '', 'do not name PDF/UA-1'],
  ['a document without marks', '/Marked true', '/Marked false', 'that the document is tagged'],
  ['annotations in no order', '/Type/Page/', '/Type/Page/Annots[null]/', 'not in the order'],
  ['a font that is not embedded', /\/FontFile2 \d+ 0 R/, '', 'The font is not embedded'],
  ['a font without texts', /\/ToUnicode \d+ 0 R/, '', 'has no ToUnicode'],
  ['a code without a text', /<0001><\w+>/, '', 'Code 1 has no text'],
  ['a code of a text that is none', /<0001><\w+>/, '<0001><feff>', 'a text that is not allowed'],
  [
    'a width that is not that of the glyph',
    /\/W\[0 \[0 \d+/,
    '/W[0 [0 1',
    'Code 1 has the width 1',
  ],
])('finds %s', async (_name, from, to, fault) => {
  broken.change = (text) => text.replace(from, to)
  expect(await faultsOf()).toMatch(new RegExp(fault))
})
