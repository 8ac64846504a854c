import { isFreeText, printed } from '@counterfoil/engine'
import { fieldProblem } from '@counterfoil/common'
import { textEncoderOf } from './encode-text.ts'
import type { Encoding } from './encodings.ts'
import type { FileCheck, ReportFile } from '../format/format.ts'
import { readRecords, recordOf, withoutControls } from '../documents/records.ts'

// The other kinds of columns hold ASCII, which every encoding has.
const NOT_ASCII = /[^\0-\x7f]/

/** The characters of a report that an encoding lacks: how many, and the first one. */
interface Lacking {
  count: number
  first?: string
}

/**
 * Creates the check of a report that must not have a character that its encoding lacks. The check reads the texts of
 * all rows, so it takes about as long as the report itself.
 */
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
      const lacking: Lacking = { count: 0 }
      const note = (text: string, place: () => string): void => {
        if (!NOT_ASCII.test(text)) return
        const { replaced, firstReplaced } = encode(text)
        if (firstReplaced === undefined) return
        lacking.count += replaced
        lacking.first ??= `${nameOf(text.codePointAt(firstReplaced))} in ${place()}`
      }
      if (file.style.header) {
        for (const { title } of file.columns) note(title, () => `the title ${title}`)
      }
      let row = 0
      for await (const records of readRecords(chunks)) {
        for (const record of records) {
          row += 1
          for (const [index, text] of record.entries()) {
            note(text, () => `row ${row}, column ${texts[index]?.title}`)
          }
        }
      }
      refuseIf(lacking, encoding)
    },
  }
}

function nameOf(codePoint = 0): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
}

function refuseIf({ count, first }: Lacking, { name }: Encoding): void {
  if (count === 0) return
  const characters = count === 1 ? '1 character' : `${count} characters`
  const expected = `an encoding with every character: ${name} lacks ${characters} of the report, first ${first}`
  throw fieldProblem('invalid-field', [{ pointer: '/reportEncode', expected }])
}
