// The compact protocol of Thrift, as far as the metadata of Parquet needs it:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

/** A written value and the number of its type. */
export interface Written {
  readonly type: number
  readonly bytes: Uint8Array
}

const STRUCT_TYPE = 12
/** A longer list, and a field whose id is further away, have a longer header. */
const SHORT_MAX = 14

/** Writes a boolean member of a struct. */
export function bool(value: boolean): Written {
  return { type: value ? 1 : 2, bytes: new Uint8Array() }
}

/** Writes a byte. */
export function i8(value: number): Written {
  return { type: 3, bytes: Uint8Array.of(value) }
}

/** Writes a number of 32 bits that is not negative. */
export function i32(value: number): Written {
  return { type: 5, bytes: varint(value * 2) }
}

/** Writes a number of 64 bits that is not negative. */
export function i64(value: number): Written {
  return { type: 6, bytes: varint(value * 2) }
}

/** Writes a text. */
export function text(value: string): Written {
  const bytes = Buffer.from(value)
  return { type: 8, bytes: Buffer.concat([varint(bytes.length), bytes]) }
}

/** Writes a list of values of one type. The list may be empty if its values are structs. */
export function list(values: readonly Written[]): Written {
  const { length } = values
  const type = values[0]?.type ?? STRUCT_TYPE
  const head = length <= SHORT_MAX ? [length * 16 + type] : [0xf0 + type, ...varint(length)]
  return { type: 9, bytes: Buffer.concat([Uint8Array.from(head), ...values.map(bytesOf)]) }
}

/** Writes a struct: its members by their ids. */
export function struct(members: Readonly<Record<number, Written>>): Written {
  let last = 0
  const written = Object.entries(members).flatMap(([name, { type, bytes }]) => {
    const id = Number(name)
    const step = id - last
    last = id
    if (step > SHORT_MAX) throw new RangeError('expected ids of members that follow each other')
    return [Uint8Array.of(step * 16 + type), bytes]
  })
  return { type: STRUCT_TYPE, bytes: Buffer.concat([...written, Uint8Array.of(0)]) }
}

function bytesOf({ bytes }: Written): Uint8Array {
  return bytes
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Uint8Array.of(...bytes, rest)
}
