import { LIMITS } from '@counterfoil/common'
import { cardColumnFault, isTame } from './card-numbers.ts'
import type { RowFormat } from './cut-rows.ts'
import type { PieceWriter } from './piece-writer.ts'

/** The delimiter of the rows that `jsonRows` writes. */
export const JSON_DELIMITER = ','

const LF = 10

/** The members of an object as texts. A number's text has exactly its digits. */
type Values = Readonly<Record<string, string | null>>

type Decoder = InstanceType<typeof TextDecoder>

/** Creates the format of JSON lines. Each line is an object with some of the columns; empty lines are not rows. */
export function jsonRows(columns: readonly string[], writer: PieceWriter): RowFormat {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const known = new Set(columns)
  return {
    cut: (bytes, start, isLast) => {
      const lineEnd = bytes.indexOf(LF, start)
      if (lineEnd !== -1) return { textEnd: lineEnd, end: lineEnd + 1, lines: 1 }
      return isLast ? { textEnd: bytes.length, end: bytes.length, lines: 1 } : undefined
    },
    write: (bytes, line) => {
      const text = decode(bytes, decoder)
      if (text?.trim() === '') return
      const read = text === undefined ? 'expected text in UTF-8' : readObject(text, known)
      if (typeof read === 'string') writer.writeBroken(read, line, line)
      else writer.write(Buffer.from(columns.map((name) => cell(read, name)).join(',')), line, line)
    },
  }
}

/** Reads the member names of the first row of a file of JSON lines. Returns none if the row cannot be read. */
export async function readFirstMembers(chunks: AsyncIterable<Buffer>): Promise<readonly string[]> {
  let bytes: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk])
    const isComplete = bytes.toString().trimStart().includes('\n')
    if (isComplete || bytes.length > LIMITS.importedRowBytesMax) break
  }
  const first = parse(bytes.toString().trimStart().split('\n', 1)[0] ?? '')
  return isValues(first) ? Object.keys(first) : []
}

function decode(bytes: Buffer, decoder: Decoder): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns the values of a line, or an error. */
function readObject(text: string, known: ReadonlySet<string>): Values | string {
  const parsed = parse(text)
  if (!isValues(parsed)) return 'expected a JSON object of texts, numbers, true, false and null'
  const names = Object.keys(parsed)
  for (const name of names) {
    const cardFault = cardColumnFault(name)
    if (cardFault !== undefined) return cardFault
    if (!known.has(name)) return `expected no column ${isTame(name) ? name : 'of this name'}`
  }
  if (countMembers(text) !== names.length) return 'expected each column once'
  const isText = Object.values(parsed).every((value) => value?.isWellFormed() ?? true)
  return isText ? parsed : 'expected text in UTF-8'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) => {
      if (typeof value === 'number') return context?.source
      return typeof value === 'boolean' ? String(value) : value
    })
  } catch {
    return undefined
  }
}

function isValues(parsed: unknown): parsed is Values {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return false
  return Object.values(parsed).every((value) => value === null || typeof value === 'string')
}

/** Counts the members in the text of an object of plain values, including repeated names. */
function countMembers(text: string): number {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1
}

function cell(values: Values, name: string): string {
  const value = Object.hasOwn(values, name) ? values[name] : null
  return value == null ? '' : `"${value.replaceAll('"', '""')}"`
}
