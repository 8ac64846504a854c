import type { FileColumn } from '../format/format.ts'
import { ColumnWidths } from './column-widths.ts'
import type { RowBatch } from './row-batches.ts'
import { textElement } from './sheet-text.ts'
import { headerStyle } from './styles.ts'
import type { ZipWriter } from './zip-writer.ts'

/** Writes the sheets of rows into an archive. Each has a header, a filter and columns of the same widths. */
export class RowSheets {
  readonly #zip: ZipWriter
  readonly #columns: readonly FileColumn[]
  readonly #rows: number[] = []
  /** The first rows, whose widths are measured before the first sheet begins. */
  #measured: RowBatch[] | undefined = []
  readonly #widths: ColumnWidths

  constructor(zip: ZipWriter, columns: readonly FileColumn[]) {
    this.#zip = zip
    this.#columns = columns
    this.#widths = new ColumnWidths(columns)
  }

  /** How many rows each sheet has. */
  get rows(): readonly number[] {
    return this.#rows
  }

  /** Adds rows. */
  async add(batch: RowBatch): Promise<void> {
    if (!this.#measured) return await this.#write(batch)
    // A copy, because the memory of the batch is freed.
    this.#measured.push({ ...batch, xml: Uint8Array.from(batch.xml) })
    this.#widths.add(textOf(batch))
    if (this.#widths.areMeasured) await this.#writeMeasured(this.#measured)
  }

  /** Ends the last sheet. */
  async end(): Promise<void> {
    if (this.#measured) await this.#writeMeasured(this.#measured)
    await this.#endSheet()
  }

  async #writeMeasured(batches: readonly RowBatch[]): Promise<void> {
    this.#measured = undefined
    await this.#beginSheet()
    for (const batch of batches) await this.#write(batch)
  }

  async #write({ xml, rows, isNewSheet }: RowBatch): Promise<void> {
    if (isNewSheet) {
      await this.#endSheet()
      await this.#beginSheet()
    }
    await this.#zip.write(xml)
    this.#rows[this.#rows.length - 1] = (this.#rows.at(-1) ?? 0) + rows
  }

  async #beginSheet(): Promise<void> {
    this.#rows.push(0)
    this.#zip.begin(sheetPath(this.#rows.length))
    await this.#zip.write(Buffer.from(startOfSheet(this.#columns, this.#widths.widths())))
  }

  async #endSheet(): Promise<void> {
    const range = rangeOf(this.#columns.length, this.#rows.at(-1) ?? 0)
    await this.#zip.write(Buffer.from(endOfSheet(range)))
    await this.#zip.end()
  }
}

/** The file of a sheet by its number, from 1. */
export function sheetPath(number: number): string {
  return `xl/worksheets/sheet${number}.xml`
}

/** The cells of a header and its rows, as in `A1:I100`. */
export function rangeOf(columns: number, rows: number, sign: '' | '$' = ''): string {
  return `${sign}A${sign}1:${sign}${lettersOf(columns)}${sign}${rows + 1}`
}

/** The letters of a column by its number, from 1. */
function lettersOf(column: number): string {
  const [before, last] = [Math.floor((column - 1) / 26), (column - 1) % 26]
  return `${before > 0 ? lettersOf(before) : ''}${String.fromCharCode(65 + last)}`
}

function textOf({ xml: { buffer, byteOffset, byteLength } }: RowBatch): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}

function startOfSheet(columns: readonly FileColumn[], widths: readonly number[]): string {
  const cols = widths.map((width, index) => {
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`
  })
  const titles = columns.map(({ title, kind }) => {
    return `<c s="${headerStyle(kind)}" t="inlineStr"><is>${textElement(title)}</is></c>`
  })
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">\
<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>\
<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>\
<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>\
<cols>${cols.join('')}</cols><sheetData><row>${titles.join('')}</row>`
}

function endOfSheet(range: string): string {
  return `</sheetData><autoFilter ref="${range}"/>\
<pageMargins left="0.5" right="0.5" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>\
<pageSetup orientation="landscape" fitToHeight="0"/>\
<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors></worksheet>`
}
