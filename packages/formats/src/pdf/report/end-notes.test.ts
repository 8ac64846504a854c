import { expect, test } from 'vitest'
import { readPdf } from '../../../../pdf-writer/test/kit/read-pdf.ts'
import { reportFile } from '../../../../gateway/test/kit/report-file.ts'
import { PAPER_SIZES } from '../table/shape-table.ts'
import { EndNotes } from './end-notes.ts'
import { drawFirstPage } from './first-page.ts'
import { Prose } from './prose.ts'
import { openReport, ReportPages } from './report-pages.ts'

/** Draws the notes of a document whose glyph stands for some texts, and returns the texts of its pages. */
async function notesAfter(count: number): Promise<string> {
  const file = reportFile([], {})
  const document = await openReport(file.about, -1)
  const pages = new ReportPages(document, PAPER_SIZES.A4, file.about)
  const place = drawFirstPage(document, pages, file)
  const font = document.fonts.plain('regular')
  for (let index = 0; index < count; index += 1) font.codeOf(40, `text ${index}`)
  new EndNotes(document, new Prose(document, pages)).draw(place)
  pages.finish()
  const start = document.take()
  const written = await readPdf(Buffer.concat([start, await document.finish()]))
  return written.pages.flatMap(({ texts }) => texts).join(' ')
}

test('a document says that a copy lacks some texts', async () => {
  expect(await notesAfter(100)).not.toContain('Copies of the text')
  expect(await notesAfter(10_000)).toMatch(/Copies of the text.* A copy of the text has \ufffd/)
})
