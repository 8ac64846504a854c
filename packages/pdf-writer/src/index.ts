// Writes tagged PDF documents as streams, with text of any script.

export { type Color, Page, type PageSize } from './document/page.ts'
export { openDocument, type PdfDocument } from './document/pdf-document.ts'
export { type PdfImage, readImage } from './document/read-image.ts'
export type { StructureElement, StructureRow, StructureTree } from './document/structure-tree.ts'
export type { FontWeight } from './fonts/font-families.ts'
export type { TextLine } from './text/text-line.ts'
export type { Typesetter } from './text/typesetter.ts'
