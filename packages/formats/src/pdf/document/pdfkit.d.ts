/** The parts of pdfkit that this folder and bench/formats.ts use. `@types/pdfkit` lacks many of them. */
declare module 'pdfkit' {
  import type { Readable } from 'node:stream'

  /** An object of the file. `end` writes it. */
  export interface Reference {
    readonly data: Record<string, unknown>
    write(content: Uint8Array): void
    end(): void
  }

  /** A part of the structure. */
  export interface Element {
    readonly dictionary: Reference
    add(child: Element | Content): Element
    end(): void
  }

  /** Marked content of a page. */
  export interface Content {
    readonly refs: readonly object[]
  }

  export interface Bookmark {
    addItem(
      title: string,
      place: { readonly pageNumber: number; readonly left: number; readonly top: number },
    ): Bookmark
  }

  /** A font in the file. Its arrays have an entry for each code. */
  export interface EmbeddedFont {
    readonly id: string
    readonly subset: { readonly glyphs: number[] }
    readonly widths: number[]
    readonly unicode: number[][]
    ref(): Reference
  }

  export interface Image {
    readonly width: number
    readonly height: number
    /** The reader of a PNG. */
    readonly image?: {
      readonly hasAlphaChannel: boolean
      readonly interlaceMethod: number
      readonly transparency: object
    }
  }

  export default class PDFDocument extends Readable {
    info: Readonly<Record<string, string | Date>>
    readonly page: {
      readonly fonts: Record<string, Reference>
      readonly xobjects: Record<string, Reference>
    }
    readonly outline: Bookmark
    readonly _font: EmbeddedFont

    constructor(options: object)
    _addInfo(): void
    addContent(content: Uint8Array): void
    addPage(options: { readonly size: readonly number[]; readonly margin: number }): void
    addStructure(element: Element): void
    end(): void
    endMarkedContent(): void
    font(file: Uint8Array): void
    fontSize(size: number): void
    image(file: Uint8Array, x: number, y: number, size: object): void
    markContent(tag: string, options: { readonly type: string }): void
    markStructureContent(tag: string): Content
    openImage(file: Uint8Array): Image
    ref(data: object): Reference
    struct(type: string, options?: { readonly scope?: string }): Element
    text(text: string, x: number, y: number, options: { readonly lineBreak: false }): void
  }
}
