import Kit, { type Element } from 'pdfkit'
import type { ReportAbout } from '../../format/format.ts'
import { DocumentFonts } from '../text/document-fonts.ts'
import { openFontFaces } from '../text/fonts.ts'
import type { TextLine } from '../text/shape-line.ts'
import { Typesetter } from '../text/typesetter.ts'
import { type Color, Page, type PageSize } from './page.ts'

/** What a part of a document is (ISO 32000-1, 14.8.4). */
export type StructureType = 'H1' | 'H2' | 'P' | 'Table' | 'TR' | 'TH' | 'TD'

/** A text that many pages show, and that is known at the end. */
const LATE_TEXT = 'Late'

const NOT_TAGGED = { Keywords: 'Not tagged: the document has too many rows' }

/** A PDF that is written while its pages are made. The caller draws on the last page, and takes the bytes. */
export class PdfDocument {
  readonly fonts: DocumentFonts
  readonly typesetter: Typesetter
  readonly #kit: KitDocument
  readonly #root: Element | undefined
  readonly #lateText
  #page: Page | undefined

  private constructor(kit: KitDocument, fonts: DocumentFonts, isTagged: boolean) {
    this.#kit = kit
    this.fonts = fonts
    this.typesetter = new Typesetter(fonts)
    this.#root = isTagged ? kit.struct('Document') : undefined
    if (this.#root) kit.addStructure(this.#root)
    this.#lateText = kit.ref({ Type: 'XObject', Subtype: 'Form' })
  }

  static async open(
    { title, login, name, runId, madeAt }: ReportAbout,
    isTagged: boolean,
  ): Promise<PdfDocument> {
    const [CreationDate, ModDate] = [new Date(madeAt), new Date(madeAt)]
    const texts = { Title: title, Author: login, Subject: name, ...(isTagged ? {} : NOT_TAGGED) }
    // pdfkit derives the id of the file from these.
    const program = { Producer: 'Counterfoil', Creator: 'Counterfoil', Run: runId }
    const kit = new KitDocument({
      autoFirstPage: false,
      font: null,
      pdfVersion: '1.7',
      lang: 'en',
      displayTitle: true,
      info: { ...texts, ...program, CreationDate, ModDate },
      ...(isTagged ? { tagged: true, subset: 'PDF/UA' } : {}),
    })
    return new PdfDocument(kit, new DocumentFonts(await openFontFaces(), kit), isTagged)
  }

  get pageCount(): number {
    return this.#page ? this.#page.index + 1 : 0
  }

  addPage(size: PageSize): Page {
    this.#page?.flush()
    const index = this.pageCount
    this.#kit.addPage({ size: [size.width, size.height], margin: 0 })
    this.#kit.page.xobjects[LATE_TEXT] = this.#lateText
    this.#page = new Page(this.#kit, index, size, this.#root !== undefined)
    return this.#page
  }

  /** Begins an element after the other kids of its parent. A document without tags has none. */
  open(type: StructureType, parent = this.#root): Element | undefined {
    const element =
      parent && this.#kit.struct(type, type === 'TH' ? { scope: 'Column' } : undefined)
    if (element) parent.add(element)
    return element
  }

  /** Shows the text of `finish` on a page. */
  drawLateText(page: Page, x: number, y: number): void {
    page.form(LATE_TEXT, x, y)
  }

  bookmark(title: string, page: Page, y: number): void {
    this.#kit.outline.addItem(title, { pageNumber: page.index, left: page.size.width, top: y })
  }

  /** How many bytes `take` would return. */
  get waitingBytes(): number {
    return this.#kit.readableLength
  }

  /** Returns the bytes of the file since the last call. */
  take(): Uint8Array {
    const bytes: unknown = this.#kit.read()
    return bytes instanceof Uint8Array ? bytes : new Uint8Array(0)
  }

  /** Ends the document with the text that the pages show, and returns its last bytes. */
  finish(late: TextLine, size: number, color: Color): Uint8Array {
    const form = this.#lateText
    form.data['BBox'] = [0, -size, (late.width * size) / 1000, size]
    const fonts = late.spans.map(({ font }) => [font.id, font.reference] as const)
    form.data['Resources'] = { Font: Object.fromEntries(fonts) }
    const shown = late.spans.map(({ font, show }) => `/${font.id} ${size} Tf${show}`)
    const content = `${color.join(' ')} rg BT 1 0 0 -1 0 0 Tm ${shown.join('')} ET`
    form.write(Buffer.from(content, 'latin1'))
    form.end()
    this.#page?.flush()
    this.#kit.end()
    return this.take()
  }
}

class KitDocument extends Kit {
  /** pdfkit writes the texts of `info` into XML as they are. */
  override _addInfo(): void {
    const { info } = this
    const escaped = Object.entries(info).map(([name, value]) => {
      return [name, typeof value === 'string' ? xmlText(value) : value] as const
    })
    this.info = Object.fromEntries(escaped)
    super._addInfo()
    this.info = info
  }
}

function xmlText(text: string): string {
  // XML has no control characters.
  const visible = text.replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ' ')
  return visible.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
