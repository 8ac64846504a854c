import { neutraliseText } from '@counterfoil/protocol'
import { type EngineChunk, isFreeText, literal, printed } from '@counterfoil/engine'
import { checkEncodable, encodePieces } from './encode-report.ts'
import { ENCODINGS, type Encoding, findEncoding } from './encodings.ts'
import type { FileStyle, Format, ReportFile, SelectedColumn } from '../format/format.ts'

const MEDIA_TYPE = 'text/csv'
const BYTE_ORDER_MARK = '\ufeff'

/** CSV (RFC 4180). The engine writes the rows, after a head with the titles. */
export const csv: Format = {
  extension: 'csv',
  mediaType: MEDIA_TYPE,
  encodings: ENCODINGS.map(({ name }) => name),
  parameters: [
    'spreadsheet',
    'header',
    'quote',
    'lineEnd',
    'bom',
    'unencodable',
    'decimals',
    'decimalSeparator',
    'dateFormat',
    'ids',
    'neutralise',
  ],
  plan: (file) => {
    // An empty field alone in its row would be an empty line, which most readers skip.
    const quoteAll = file.style.quoteAll || file.columns.length === 1
    const whole = { ...file, style: { ...file.style, quoteAll } }
    const encoding = encodingOf(file.style)
    const head = Buffer.from(headOf(whole, encoding))
    // A Unicode encoding lacks no character.
    const refuses = file.style.refuseUnencodable && encoding.codec !== undefined
    return {
      contentType: `${MEDIA_TYPE}; charset=${encoding.charset}${file.style.header ? '' : '; header=absent'}`,
      select: (columns) => rowOf(columns, whole),
      // The engine sends the bytes of one column unchanged. Its own CSV of nine quoted columns takes a third longer.
      rows: 'texts',
      write: (chunks) => {
        const pieces = afterHead(head, chunks)
        return encoding.name === 'UTF-8' ? pieces : encodePieces(pieces, encoding, refuses)
      },
      check: refuses ? checkEncodable(file, encoding) : undefined,
    }
  },
}

function encodingOf({ encoding }: FileStyle): Encoding {
  const known = findEncoding(encoding)
  if (!known) throw new Error(`The encoding ${encoding} has no entry in encodings.ts.`)
  return known
}

function headOf({ columns, values, style }: ReportFile, { codec, name }: Encoding): string {
  const { byteOrderMark, header, delimiter, lineEnd } = style
  const titles = columns.map(({ title }) => (values.neutralise ? neutraliseText(title) : title))
  // Only Unicode encodings have a byte order mark. UTF-16 needs one, because its name does not say the order.
  const hasMark = name === 'UTF-16' || (byteOrderMark && codec === undefined)
  const mark = hasMark ? BYTE_ORDER_MARK : ''
  const row = header ? titles.map((title) => quoted(title, style)).join(delimiter) + lineEnd : ''
  return mark + row
}

/** Puts bytes before the rows that the engine writes. Without rows, the file consists of these bytes. */
async function* afterHead(
  head: Uint8Array,
  chunks: AsyncIterable<EngineChunk>,
): AsyncGenerator<EngineChunk, void> {
  let unsent = head.length > 0
  for await (const chunk of chunks) {
    // This is inside the loop, so that `chunks` ends too if the reader leaves here.
    if (unsent) yield { bytes: head, rows: 0 }
    unsent = false
    yield chunk
  }
  if (unsent) yield { bytes: head, rows: 0 }
}

/** The SQL of a row: its bytes as they appear in the file. */
function rowOf(columns: readonly SelectedColumn[], { values, style }: ReportFile): string {
  const fields = columns.map(({ kind, sql }) => {
    return inQuotes(printed(kind, sql, values), isFreeText(kind), style)
  })
  const delimiter = literal(style.delimiter)
  return `concat(${fields.join(`, ${delimiter}, `)}, ${literal(style.lineEnd)})`
}

/** The SQL of a field, with quotes if it needs them. Doubling quotes takes a twentieth of a report's time. */
function inQuotes(text: string, mayHoldQuotes: boolean, style: FileStyle): string {
  const doubled = mayHoldQuotes ? `replaceAll(${text}, '"', '""')` : text
  const quotedText = `'"', ${doubled}, '"'`
  if (style.quoteAll) return quotedText
  return `if(match(${text}, ${literal(specialOf(style))}), concat(${quotedText}), ${text})`
}

/** A pattern for texts that need quotes: they contain the delimiter, a comma (RFC 4180), a quote or a line break. */
function specialOf({ delimiter }: FileStyle): string {
  const code = delimiter.charCodeAt(0)
  const escaped = code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : delimiter
  return `["\\r\\n,${escaped}]`
}

function quoted(title: string, style: FileStyle): string {
  const needed = style.quoteAll || new RegExp(specialOf(style), 'u').test(title)
  return needed ? `"${title.replaceAll('"', '""')}"` : title
}
