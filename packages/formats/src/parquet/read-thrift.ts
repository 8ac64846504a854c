/** A struct of Thrift's compact protocol: its members by their ids. Other types than these are skipped. */
export type ThriftStruct = ReadonlyMap<number, number | ThriftStruct | undefined>

/** Thrown inside this file alone, where the bytes end inside a struct. */
class OutOfBytes extends Error {}

/**
 * Reads a struct.
 *
 * @returns the struct and the number of its bytes, or `undefined` if the bytes end inside it
 * @throws an Error if the bytes are no struct
 */
export function readStruct(
  bytes: Uint8Array,
): { readonly struct: ThriftStruct; readonly length: number } | undefined {
  const cursor = { bytes, at: 0 }
  try {
    return { struct: structAt(cursor), length: cursor.at }
  } catch (error) {
    if (error instanceof OutOfBytes) return undefined
    throw error
  }
}

interface Cursor {
  readonly bytes: Uint8Array
  at: number
}

function structAt(cursor: Cursor): ThriftStruct {
  const members = new Map<number, number | ThriftStruct | undefined>()
  let id = 0
  for (let head = byteAt(cursor); head !== 0; head = byteAt(cursor)) {
    const step = head >> 4
    id = step === 0 ? zigzagAt(cursor) : id + step
    const type = head & 0x0f
    // A boolean member has its value in its type.
    members.set(id, type <= 2 ? 2 - type : valueAt(cursor, type))
  }
  return members
}

const READERS: Readonly<Record<number, (cursor: Cursor) => number | ThriftStruct | undefined>> = {
  1: byteAt,
  2: byteAt,
  3: byteAt,
  4: zigzagAt,
  5: zigzagAt,
  6: zigzagAt,
  7: (cursor) => skip(cursor, 8),
  8: (cursor) => skip(cursor, varintAt(cursor)),
  9: listAt,
  10: listAt,
  12: structAt,
}

function valueAt(cursor: Cursor, type: number): number | ThriftStruct | undefined {
  const read = READERS[type]
  if (!read) throw new Error(`The engine wrote an unknown type of Thrift: ${type}.`)
  return read(cursor)
}

function listAt(cursor: Cursor): undefined {
  const head = byteAt(cursor)
  const length = head >> 4 === 0x0f ? varintAt(cursor) : head >> 4
  for (let index = 0; index < length; index += 1) valueAt(cursor, head & 0x0f)
}

function skip(cursor: Cursor, length: number): undefined {
  cursor.at += length
  if (cursor.at > cursor.bytes.length) throw new OutOfBytes()
}

function byteAt(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at]
  if (byte === undefined) throw new OutOfBytes()
  cursor.at += 1
  return byte
}

function zigzagAt(cursor: Cursor): number {
  const value = varintAt(cursor)
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

/** Numbers beyond 2^53 lose digits. Parquet has none that this part needs. */
function varintAt(cursor: Cursor): number {
  let value = 0
  for (let factor = 1; ; factor *= 0x80) {
    const byte = byteAt(cursor)
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return value
  }
}
