import { beginningOf } from '../documents/limit-text.ts'
import type { Totals } from '../documents/totals.ts'
import type { ReportFile } from '../format/format.ts'
import { rangeOf, sheetPath } from './row-sheet.ts'
import { xmlText } from './sheet-text.ts'
import { stylesXml } from './styles.ts'
import { summarySheet } from './summary-sheet.ts'

/** A file of the archive: its name and its XML. */
export type Part = readonly [name: string, xml: string]

const NAME_LENGTH_MAX = 31
const SUMMARY_NAME = 'About'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The parts before the sheets. Every part without a type of its own is a sheet. */
export const FIRST_PARTS: readonly Part[] = [
  [
    '[Content_Types].xml',
    `<Types xmlns="${PACKAGE}/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="${TYPE}.worksheet+xml"/>\
<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>\
<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>\
<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>\
</Types>`,
  ],
  [
    '_rels/.rels',
    `<Relationships xmlns="${PACKAGE}/relationships">\
<Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/>\
<Relationship Id="rId2" Type="${PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>\
</Relationships>`,
  ],
].map(([name = '', xml = '']) => [name, DECLARATION + xml])

export function lastParts(
  file: ReportFile,
  rowsOfSheets: readonly number[],
  totals: Totals | undefined,
): readonly Part[] {
  const names = sheetNames(file.about.title, rowsOfSheets.length)
  const sheets = names.length + 1
  return [
    [sheetPath(sheets), summarySheet(file, rowsOfSheets, totals)],
    ['xl/workbook.xml', DECLARATION + workbook(file, names, rowsOfSheets)],
    ['xl/_rels/workbook.xml.rels', DECLARATION + relationships(sheets)],
    ['xl/styles.xml', DECLARATION + stylesXml(file.values.dateFormat)],
    ['docProps/core.xml', DECLARATION + properties(file)],
  ]
}

function workbook(
  { columns }: ReportFile,
  names: readonly string[],
  rowsOfSheets: readonly number[],
): string {
  const sheets = [...names, SUMMARY_NAME].map((name, index) => {
    return `<sheet name="${xmlText(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`
  })
  const defined = names.map((name, index) => {
    const sheet = `'${name.replaceAll("'", "''")}'`
    const range = rangeOf(columns.length, rowsOfSheets[index] ?? 0, '$')
    return `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">${xmlText(`${sheet}!${range}`)}</definedName>\
<definedName name="_xlnm.Print_Titles" localSheetId="${index}">${xmlText(`${sheet}!$1:$1`)}</definedName>`
  })
  return `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><bookViews><workbookView/></bookViews>\
<sheets>${sheets.join('')}</sheets><definedNames>${defined.join('')}</definedNames></workbook>`
}

function relationships(sheets: number): string {
  const ofSheets = Array.from({ length: sheets }, (_, index) => {
    return `<Relationship Id="rId${index + 1}" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`
  })
  const ofStyles = `<Relationship Id="rId${sheets + 1}" Type="${DOCUMENT}/styles" Target="styles.xml"/>`
  return `<Relationships xmlns="${PACKAGE}/relationships">${ofSheets.join('')}${ofStyles}</Relationships>`
}

function properties({ about }: ReportFile): string {
  return `<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" \
xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\
<dc:title>${xmlText(about.title)}</dc:title><dc:identifier>${xmlText(about.runId)}</dc:identifier>\
<dcterms:created xsi:type="dcterms:W3CDTF">${new Date(about.madeAt).toISOString()}</dcterms:created></cp:coreProperties>`
}

/** Returns the names of a report's sheets of rows: its title, and from the second sheet on a number. */
export function sheetNames(title: string, count: number): readonly string[] {
  // Spreadsheets refuse these characters, an apostrophe at an end, and the name History.
  const plain = title
    .replaceAll(/[\s\p{Cc}\p{Cs}\uFFFE\uFFFF\\/?*[\]:]+/gu, ' ')
    .replaceAll(/^['\s]+|['\s]+$/g, '')
  const isTaken = ['', 'history', SUMMARY_NAME.toLowerCase()].includes(plain.toLowerCase())
  const name = isTaken ? 'Rows' : plain
  return Array.from({ length: count }, (_, index) => {
    const number = index === 0 ? '' : ` ${index + 1}`
    return beginningOf(name, NAME_LENGTH_MAX - number.length).replace(/['\s]+$/, '') + number
  })
}
