import type { PdfDictionary } from './parse-pdf.ts'
import { nameOf, PdfFile, stringOf } from './pdf-file.ts'
import { checkFonts } from './check-fonts.ts'
import { checkStructure } from './check-structure.ts'
import { readContent, type ShownCodes } from './read-content.ts'

/**
 * Checks a PDF document against the rules of PDF/UA-1 (ISO 14289-1) that a program can check. It reads the objects of
 * the file itself, because readers of PDF hide what they do not show.
 *
 * @returns what is wrong
 */
export function checkPdfUa(bytes: Buffer): readonly string[] {
  const file = new PdfFile(bytes)
  const faults = [...documentFaults(file)]
  const shown: ShownCodes = new Map()
  const idsOf = new Map<number, readonly number[]>()
  for (const [index, page] of file.pages().entries()) {
    const content = readContent(file, page, shown)
    idsOf.set(page.object, content.ids)
    const own = [...content.faults, ...pageFaults(file, file.dictionary(page))]
    if (!content.furniture.includes('Footer')) own.push('No artifact is a footer.')
    // Text that is no content is what stands above or below the content of each page.
    const isKnown = content.furniture.every((kind) => kind === 'Header' || kind === 'Footer')
    if (!isKnown) own.push('An artifact with text is neither a header nor a footer.')
    faults.push(...own.map((fault) => `Page ${index + 1}: ${fault}`))
  }
  if (idsOf.size === 0) faults.push('The document has no pages.')
  faults.push(...checkStructure(file, idsOf), ...checkFonts(file, shown))
  return faults
}

function pageFaults(file: PdfFile, page: PdfDictionary): readonly string[] {
  const hasNotes = file.array(page.get('Annots')).length > 0
  const isInOrder = !hasNotes || nameOf(page.get('Tabs')) === 'S'
  return isInOrder ? [] : ['The annotations are not in the order of the structure.']
}

function documentFaults(file: PdfFile): readonly string[] {
  const { catalog } = file
  const marks = file.dictionary(catalog.get('MarkInfo'))
  const preferences = file.dictionary(catalog.get('ViewerPreferences'))
  const title = stringOf(file.dictionary(file.trailer.get('Info')).get('Title'))
  const metadata = file.stream(catalog.get('Metadata'))?.toString('utf8') ?? ''
  const rules: readonly (readonly [isKept: boolean, fault: string])[] = [
    [marks.get('Marked') === true, 'MarkInfo does not say that the document is tagged.'],
    [marks.get('Suspects') !== true, 'The document has suspects.'],
    [preferences.get('DisplayDocTitle') === true, 'The window does not show the title.'],
    [/^[a-z]{2,3}(?:-|$)/.test(stringOf(catalog.get('Lang'))), 'The document has no language.'],
    [title !== '' && xmpTitleOf(metadata) === title, 'The metadata do not have the title.'],
    [/<pdfuaid:part>1<\/pdfuaid:part>/.test(metadata), 'The metadata do not name PDF/UA-1.'],
    [!file.trailer.has('Encrypt'), 'The file is encrypted.'],
    [!catalog.has('AcroForm') && !catalog.has('OCProperties'), 'The file has forms or layers.'],
  ]
  return rules.flatMap(([isKept, fault]) => (isKept ? [] : [fault]))
}

function xmpTitleOf(metadata: string): string | undefined {
  const title = /<dc:title><rdf:Alt><rdf:li xml:lang="x-default">([^<]*)</.exec(metadata)?.[1]
  return title?.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
