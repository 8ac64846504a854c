import { createHash } from 'node:crypto'
import type { Turn } from '../turn.ts'
import { openFontFaces } from '../fonts/font-face.ts'
import { Outline } from '../objects/outline.ts'
import { PageTree } from '../objects/page-tree.ts'
import { PdfObjects } from '../objects/pdf-objects.ts'
import { pdfDate, pdfNumber, pdfRef, pdfText } from '../objects/pdf-values.ts'
import { DocumentFonts } from '../text/document-fonts.ts'
import { Typesetter } from '../text/typesetter.ts'
import { type DocumentAbout, metadataOf, NOT_TAGGED } from './metadata.ts'
import { Page, type PageSize } from './page.ts'
import type { PdfImage } from './read-image.ts'
import { StructureTree, type StructureType } from './structure-tree.ts'

/** The program that makes the document. */
const PRODUCER = 'Counterfoil'

/**
 * A PDF document that is written while its pages are made. The caller draws on a page, ends the page, and takes the
 * bytes. Fonts, bookmarks and the tree of pages follow at the end.
 *
 * @example
 * const document = await openDocument(about)
 * const page = document.addPage({ width: 595, height: 842 })
 * page.text(document.typesetter.line('Hello'), 40, 40, 9)
 * document.endPage(page)
 * const bytes = [document.take(), await document.finish()]
 */
export class PdfDocument {
  readonly typesetter: Typesetter
  readonly fonts: DocumentFonts
  readonly objects: PdfObjects
  readonly #about: DocumentAbout
  readonly #pages: PageTree
  readonly #outline = new Outline()
  /** All pages share their resources, which are written at the end. */
  readonly #resources: number
  readonly #forms: string[] = []
  readonly #tree: StructureTree | undefined

  constructor(
    about: DocumentAbout,
    objects: PdfObjects,
    fonts: DocumentFonts,
    taggedRowsMax: number,
  ) {
    // A negative limit means no structure at all.
    this.#tree = taggedRowsMax < 0 ? undefined : new StructureTree(objects, taggedRowsMax)
    this.#about = about
    this.objects = objects
    this.fonts = fonts
    this.typesetter = new Typesetter(fonts)
    this.#pages = new PageTree(objects)
    this.#resources = objects.reserve()
  }

  /** How many pages the document has, with the page that is drawn. */
  get pageCount(): number {
    return this.#pages.pages
  }

  /** The structure of the document, as long as the document is tagged. */
  get structure(): StructureTree | undefined {
    return this.#tree?.isFull === false ? this.#tree : undefined
  }

  /** Draws texts of a page as an element of the document. */
  tag(type: StructureType, page: Page, draw: () => void): void {
    const element = this.structure?.open(type)
    page.element = element
    draw()
    page.element = undefined
    this.#tree?.close(element)
  }

  /** Begins a page. */
  addPage(size: PageSize): Page {
    const object = this.objects.reserve()
    return new Page(object, size, this.structure?.beginPage(object))
  }

  /** Ends a page: nothing can be drawn on it afterwards. Pages have the order in which they end. */
  endPage({ object, size, content, tags }: Page): void {
    if (tags) this.#tree?.endPage(tags)
    const parents = tags ? `/StructParents ${tags.key}` : ''
    const contents = this.objects.writeStream('', content)
    const box = `[0 0 ${pdfNumber(size.width)} ${pdfNumber(size.height)}]`
    this.objects.write(
      `<</Type/Page/Parent ${pdfRef(this.#pages.add(object))}/MediaBox${box}` +
        `/Resources ${pdfRef(this.#resources)}/Contents ${pdfRef(contents)}${parents}>>`,
      object,
    )
  }

  /**
   * Reserves a form: a drawing that many pages show, and that may be written after them.
   *
   * @returns the name by which pages draw it
   */
  reserveForm(): { readonly name: string; readonly object: number } {
    const object = this.objects.reserve()
    const name = `X${this.#forms.length}`
    this.#forms.push(`/${name} ${pdfRef(object)}`)
    return { name, object }
  }

  /** Writes a reserved form. Its origin is its lower left corner. */
  writeForm({ object }: { readonly object: number }, drawing: Page): void {
    const { width, height } = drawing.size
    // Glyphs reach below their base line.
    const box = `[0 ${pdfNumber(-height)} ${pdfNumber(width)} ${pdfNumber(height)}]`
    const resources = `/Resources ${pdfRef(this.#resources)}`
    this.objects.writeStream(
      `/Type/XObject/Subtype/Form/BBox${box}${resources}`,
      drawing.content,
      object,
    )
  }

  /** Writes an image, and returns the name by which pages draw it. */
  addImage({ entries, bytes }: PdfImage): string {
    const name = `X${this.#forms.length}`
    this.#forms.push(`/${name} ${pdfRef(this.objects.writePlainStream(entries, bytes))}`)
    return name
  }

  /** Adds a bookmark for a place on a page. A bookmark of level 2 belongs to the last one of level 1. */
  bookmark(level: 1 | 2, title: string, page: Page, y: number): void {
    this.#outline.add(level, title, page.object, page.size.height - y)
  }

  /** How many bytes `take` would return. */
  get waitingBytes(): number {
    return this.objects.waitingBytes
  }

  /** Returns the bytes of the file since the last call. */
  take(): Uint8Array {
    return this.objects.take()
  }

  /** Ends the document, and returns its last bytes. Other work has its turn meanwhile. */
  async finish(turn?: Turn): Promise<Uint8Array> {
    const { objects } = this
    const fonts = await this.fonts.write(turn)
    objects.write(`<</Font<<${fonts}>>/XObject<<${this.#forms.join('')}>>>>`, this.#resources)
    const { title, author, subject, language, madeAt, id } = this.#about
    const outline = this.#outline.write(objects)
    const tree = this.#tree?.write()
    const isTagged = tree !== undefined && this.structure !== undefined
    const structure = isTagged ? `/StructTreeRoot ${pdfRef(tree)}/MarkInfo<</Marked true>>` : ''
    const metadata = objects.writePlainStream(
      '/Type/Metadata/Subtype/XML',
      metadataOf(this.#about, PRODUCER, isTagged),
    )
    const root = objects.write(
      `<</Type/Catalog/Pages ${pdfRef(this.#pages.write())}/Lang${pdfText(language)}` +
        `/Metadata ${pdfRef(metadata)}/ViewerPreferences<</DisplayDocTitle true>>` +
        structure +
        '/PageLabels<</Nums[0<</S/D>>]>>' +
        `${outline === undefined ? '' : `/Outlines ${pdfRef(outline)}/PageMode/UseOutlines`}>>`,
    )
    const info = objects.write(
      `<</Title${pdfText(title)}/Author${pdfText(author)}/Subject${pdfText(subject)}` +
        (isTagged ? '' : `/Keywords${pdfText(NOT_TAGGED)}`) +
        `/Producer${pdfText(PRODUCER)}/CreationDate${pdfDate(madeAt)}/ModDate${pdfDate(madeAt)}>>`,
    )
    const digest = createHash('sha256').update(id).digest('hex').slice(0, 32)
    objects.finish(root, info, digest)
    return objects.take()
  }
}

/**
 * Opens a document.
 *
 * @param taggedRowsMax the rows of tables that a tagged document has; with more, the document is not tagged
 */
export async function openDocument(
  about: DocumentAbout,
  taggedRowsMax: number,
): Promise<PdfDocument> {
  const faces = await openFontFaces()
  const objects = new PdfObjects()
  return new PdfDocument(about, objects, new DocumentFonts(faces, objects), taggedRowsMax)
}
