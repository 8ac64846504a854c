import { LIMITS } from '@counterfoil/common'
import type { TablePlace } from '../table/table-writer.ts'
import { CUT_MARK } from '../limit-text.ts'
import type { ReportPages } from './report-pages.ts'

/** The room above a note without a heading, in points. */
const NOTE_ABOVE = 8

/** Draws the notes at the end of a document: how many texts are cut, and that some characters have no font. */
export function drawEndNotes(pages: ReportPages, before: TablePlace, cuts: number): void {
  let place = before
  if (cuts > 0) {
    const count = cuts === 1 ? '1 text is' : `${cuts} texts are`
    const text = `${count} longer than ${LIMITS.pdfTextLengthMax} characters. Each ends in “${CUT_MARK}”. CSV has the complete texts.`
    place = pages.text(pages.heading(place, 'Cut texts'), text)
  }
  if (!pages.document.fonts.isMissing) return
  // A list of the characters would help no reader.
  const text =
    'No font of the gateway has the characters that appear as \ufffd. CSV has them. The gateway’s operator can install fonts for Chinese, Japanese and Korean.'
  pages.text({ ...place, y: place.y + NOTE_ABOVE }, text)
}
