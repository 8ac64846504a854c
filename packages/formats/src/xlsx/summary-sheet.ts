import { HARD_TEXT, NUMBER_DIGITS_MAX } from '@counterfoil/engine'
import { writeAmount } from '../documents/amounts.ts'
import type { FileColumn, ReportFile } from '../format/format.ts'
import { reportFacts } from '../documents/report-facts.ts'
import type { TotalGroup, Totals } from '../documents/totals.ts'
import { textElement, writeHardTexts } from './sheet-text.ts'
import { headerStyle, STYLES } from './styles.ts'

const EMPTY_ROW = '<row/>'

/** Writes the sheet about a report: what was asked for, the totals, and how to check the file. */
export function summarySheet(
  file: ReportFile,
  rowsOfSheets: readonly number[],
  totals: Totals | undefined,
): string {
  const { about } = file
  const rows = rowsOfSheets.reduce((sum, count) => sum + count, 0)
  const content = [
    // A program that does not fit rows to their fonts would cut the title.
    `<row ht="22" customHeight="1">${textCell(about.title, STYLES.title)}</row>`,
    EMPTY_ROW,
    ...reportFacts(file).map(({ label, values }) => labelled(label, textCell(values.join(', ')))),
    labelled('Rows', numberCell(String(rows), STYLES.leftInteger)),
    ...(rowsOfSheets.length > 1
      ? [labelled('Sheets of rows', numberCell(String(rowsOfSheets.length), STYLES.leftInteger))]
      : []),
    // A note is about the figures. Without rows, there are none.
    ...(about.note !== undefined && rows > 0 ? [labelled('Note', textCell(about.note))] : []),
    ...(totals ? totalRows(totals) : []),
    EMPTY_ROW,
    row(textCell('How this file was made, for questions to the operator', STYLES.label)),
    labelled('Report', textCell(about.identifier)),
    labelled('Name', textCell(about.name)),
    labelled('Run', textCell(about.runId)),
    EMPTY_ROW,
    row(textCell('How to check that this file is complete', STYLES.label)),
    ...proofTexts(rows).map((text) => row(textCell(text))),
  ]
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">\
<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>\
<sheetViews><sheetView workbookViewId="0" showGridLines="0"/></sheetViews>\
<cols><col min="1" max="1" width="26" customWidth="1"/><col min="2" max="40" width="22" customWidth="1"/></cols>\
<sheetData>${content.join('')}</sheetData>\
<pageSetup orientation="landscape" fitToHeight="0"/></worksheet>`
}

function totalRows(totals: Totals): readonly string[] {
  if (totals.areTooMany) {
    const advice = 'The totals are too many. Ask for the report with totals = only.'
    return [EMPTY_ROW, row(textCell('Totals', STYLES.label)), row(textCell(advice))]
  }
  return totals.tables().flatMap(({ heading, by, summed, groups }) => {
    const all = [...by, { title: 'Rows', kind: 'integer' } as const, ...summed]
    const titles = all.map(({ title, kind }) => textCell(title, headerStyle(kind)))
    const rows = groups.map((group) => totalRow(group, summed))
    return [EMPTY_ROW, row(textCell(heading, STYLES.label)), row(titles.join('')), ...rows]
  })
}

function totalRow(
  { keys, rows, sums, digits }: TotalGroup,
  columns: readonly FileColumn[],
): string {
  const totals = columns.map(({ kind }, index) => {
    const sum = sums[index]
    if (sum === undefined) return '<c/>'
    return kind === 'money'
      ? moneyCell(sum, digits[index] ?? 0)
      : numberCell(String(sum), STYLES.integer)
  })
  return row([...keys.map(keyCell), numberCell(String(rows), STYLES.integer), ...totals].join(''))
}

/** Writes the cell of a group's key: its XML, or the content of its inline string. */
function keyCell(content: string): string {
  if (content === '' || content.startsWith('<')) return content === '' ? '<c/>' : content
  const element = content.startsWith(HARD_TEXT) ? writeHardTexts(content) : `<t>${content}</t>`
  return `<c s="${STYLES.text}" t="inlineStr"><is>${element}</is></c>`
}

function proofTexts(rows: number): readonly string[] {
  return [
    `The reply ends in two trailers. Counterfoil-Rows counts the rows of the report: ${rows}.`,
    'Repr-Digest is the SHA-256 digest of this file, between sha-256=: and the last colon. This command prints it:',
    'openssl dgst -sha256 -binary FILE | openssl base64 -A',
    'The command counterfoil and the client library check the digest before they name the file.',
  ]
}

function row(cells: string): string {
  return `<row>${cells}</row>`
}

function labelled(label: string, cell: string): string {
  return row(textCell(label, STYLES.label) + cell)
}

function textCell(text: string, style: number = STYLES.text): string {
  return text === '' ? '<c/>' : `<c s="${style}" t="inlineStr"><is>${textElement(text)}</is></c>`
}

function numberCell(digits: string, style: number): string {
  const significant = digits.replaceAll(/^-?0*\.?0*|\./g, '')
  return significant.length > NUMBER_DIGITS_MAX
    ? textCell(digits)
    : `<c s="${style}"><v>${digits}</v></c>`
}

/** The cell of an amount in units of its last fraction digit. It shows at least the fraction digits of its currency. */
function moneyCell(units: bigint, exponent: number): string {
  const digits = writeAmount(units, 0, '.')
  const fraction = digits.split('.')[1] ?? ''
  return numberCell(digits, STYLES.money + Math.max(exponent, fraction.length))
}
