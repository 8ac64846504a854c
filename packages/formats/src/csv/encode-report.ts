import { fieldProblem, freeMemory, Turn } from '@counterfoil/common'
import { type EngineChunk, isFreeText, printed } from '@counterfoil/engine'
import { readRecords, recordOf, withoutControls } from '../documents/records.ts'
import type { FileCheck, FilePiece, ReportFile } from '../format/format.ts'
import { createPieceEncoder, type Encoding, textEncoderOf } from './encodings.ts'

/** Encodes pieces of UTF-8, and counts the characters that the encoding lacks. If it refuses them, it throws. */
export async function* encodePieces(
  pieces: AsyncIterable<EngineChunk>,
  encoding: Encoding,
  refuses: boolean,
): AsyncGenerator<FilePiece, void> {
  const encode = createPieceEncoder(encoding)
  const turn = new Turn()
  const piece = (utf8: Uint8Array | undefined, rows: number): FilePiece => {
    const { bytes, replaced } = encode(utf8)
    if (refuses && replaced > 0) {
      throw new Error(
        `The ledger changed: its rows now have characters that ${encoding.name} lacks.`,
      )
    }
    // A slice shares the memory of its chunk.
    return { bytes: bytes === utf8 ? Uint8Array.from(bytes) : bytes, replaced, rows }
  }
  for await (const { bytes, rows } of pieces) {
    let uncounted = rows
    for await (const slice of turn.slicesOf(bytes)) {
      yield piece(slice, uncounted)
      uncounted = 0
    }
    freeMemory(bytes)
    if (uncounted > 0) yield { bytes: new Uint8Array(), rows: uncounted }
  }
  const last = piece(undefined, 0)
  if (last.bytes.length > 0) yield last
}

// The other kinds of columns hold ASCII, which every encoding has.
const NOT_ASCII = /[^\0-\x7f]/

/** Checks before the report whether its encoding has every character. It reads the texts of all rows. */
export function checkEncodable(file: ReportFile, encoding: Encoding): FileCheck {
  const texts = file.columns.filter(({ kind }) => isFreeText(kind))
  return {
    select: (columns) => {
      const fields = columns
        .filter(({ kind }) => isFreeText(kind))
        .map(({ kind, sql }) => withoutControls(printed(kind, sql, file.values)))
      return recordOf(fields.length > 0 ? fields : ["''"])
    },
    read: async (chunks) => {
      const encode = textEncoderOf(encoding)
      let [count, first, row] = [0, '', 0]
      const note = (text: string, place: () => string): void => {
        if (!NOT_ASCII.test(text)) return
        const { replaced, firstReplaced } = encode(text)
        if (firstReplaced === undefined) return
        count += replaced
        first ||= `${nameOf(text.codePointAt(firstReplaced))} in ${place()}`
      }
      for (const { title } of file.style.header ? file.columns : []) {
        note(title, () => `the title ${title}`)
      }
      for await (const records of readRecords(chunks)) {
        for (const record of records) {
          row += 1
          for (const [index, text] of record.entries()) {
            note(text, () => `row ${row}, column ${texts[index]?.title}`)
          }
        }
      }
      if (count === 0) return
      const characters = count === 1 ? '1 character' : `${count} characters`
      const expected = `an encoding with every character: ${encoding.name} lacks ${characters} of the report, first ${first}`
      throw fieldProblem('invalid-field', [{ pointer: '/reportEncode', expected }])
    },
  }
}

function nameOf(codePoint = 0): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
}
