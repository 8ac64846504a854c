import type { PdfDocument } from '../document/pdf-document.ts'
import { LIMITS } from '@counterfoil/common'
import type { TablePlace } from '../table/table-writer.ts'
import { CUT_MARK, isCut } from '../limit-text.ts'
import type { Prose } from './prose.ts'

/** The room above a note without a heading, in points. */
const NOTE_ABOVE = 8

/** The notes at the end of a document: what its pages do not show. */
export class EndNotes {
  readonly #document: PdfDocument
  readonly #prose: Prose
  #cuts = 0

  constructor(document: PdfDocument, prose: Prose) {
    this.#document = document
    this.#prose = prose
  }

  /** Counts the cut texts of a record among its first fields. */
  count(record: readonly string[], fields: number): void {
    for (let field = 0; field < fields; field += 1) {
      if (isCut(record[field] ?? '')) this.#cuts += 1
    }
  }

  /** Draws the notes that the document needs. */
  draw(place: TablePlace): void {
    this.#drawMissing(this.#drawCuts(place))
  }

  /** Says how many texts the pages cut. */
  #drawCuts(before: TablePlace): TablePlace {
    if (this.#cuts === 0) return before
    const place = this.#prose.heading(before, 'Cut texts')
    const count = this.#cuts === 1 ? '1 text is' : `${this.#cuts} texts are`
    const text = `${count} longer than ${LIMITS.pdfTextLengthMax} characters. Each ends in “${CUT_MARK}”. CSV has the complete texts.`
    return this.#prose.text(place, text)
  }

  /** Says that some characters have no font. A list of them would help no reader. */
  #drawMissing(before: TablePlace): void {
    if (!this.#document.fonts.isMissing) return
    const text =
      'No font of the gateway has the characters that appear as \ufffd. CSV has them. The gateway’s operator can install fonts for Chinese, Japanese and Korean.'
    this.#prose.text({ ...before, y: before.y + NOTE_ABOVE }, text)
  }
}
