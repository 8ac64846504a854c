// The compact protocol of Thrift, as far as the footers of Parquet need it:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

/** A value. Its bytes stay as they were written, except those of lists and structs. */
export type Thrift = ThriftScalar | ThriftList | ThriftStruct

interface ThriftScalar {
  readonly type: number
  readonly bytes: Uint8Array
}

interface ThriftList {
  readonly type: typeof LIST
  readonly itemType: number
  readonly items: readonly Thrift[]
}

interface ThriftStruct {
  readonly type: typeof STRUCT
  /** By their ids. */
  readonly members: Map<number, Thrift>
}

const [TEXT, LIST, STRUCT] = [8, 9, 12] as const
/** The bytes of members of one length: true, false, a byte and a double. Other numbers end with a byte below 128. */
const FIXED_BYTES: Readonly<Record<number, number>> = { 1: 0, 2: 0, 3: 1, 7: 8 }
/** A longer list, and a member whose id is further away, have a longer header. */
const SHORT_MAX = 14

export function readStruct(bytes: Uint8Array): ThriftStruct {
  let at = 0
  const readByte = (): number => {
    const byte = bytes[at]
    if (byte === undefined) throw new Error('The footer of the Parquet file is incomplete.')
    at += 1
    return byte
  }
  const readVarint = (): number => {
    let [value, factor, byte] = [0, 1, 0x80]
    for (; byte >= 0x80; factor *= 0x80) {
      byte = readByte()
      value += (byte % 0x80) * factor
    }
    return value
  }
  const readMembers = (): ThriftStruct => {
    const members = new Map<number, Thrift>()
    let id = 0
    for (let head = readByte(); head !== 0; head = readByte()) {
      const step = head >> 4
      id = step === 0 ? readVarint() / 2 : id + step
      members.set(id, read(head & 0x0f))
    }
    return { type: STRUCT, members }
  }
  const read = (type: number): Thrift => {
    if (type === STRUCT) return readMembers()
    if (type === LIST) {
      const head = readByte()
      const length = head >> 4 > SHORT_MAX ? readVarint() : head >> 4
      const itemType = head & 0x0f
      return { type, itemType, items: Array.from({ length }, () => read(itemType)) }
    }
    const start = at
    const length = type === TEXT ? readVarint() : (FIXED_BYTES[type] ?? 0)
    if (type === TEXT || type in FIXED_BYTES) at += length
    else readVarint()
    return { type, bytes: bytes.subarray(start, at) }
  }
  return readMembers()
}

export function writeThrift(value: Thrift): Uint8Array {
  if ('bytes' in value) return value.bytes
  if ('items' in value) {
    const { items, itemType } = value
    const { length } = items
    const head =
      length > SHORT_MAX ? [0xf0 + itemType, ...varint(length)] : [length * 16 + itemType]
    return Buffer.concat([Uint8Array.from(head), ...items.map(writeThrift)])
  }
  let last = 0
  const written = [...value.members]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([id, member]) => {
      const step = id - last
      last = id
      const head = step > SHORT_MAX ? [member.type, ...varint(2 * id)] : [step * 16 + member.type]
      return [Uint8Array.from(head), writeThrift(member)]
    })
  return Buffer.concat([...written, Uint8Array.of(0)])
}

export function text(value: string): ThriftScalar {
  const bytes = Buffer.from(value)
  return { type: TEXT, bytes: Buffer.concat([Uint8Array.from(varint(bytes.length)), bytes]) }
}

export function list(items: readonly Thrift[]): ThriftList {
  return { type: LIST, itemType: items[0]?.type ?? STRUCT, items }
}

export function struct(members: Readonly<Record<number, Thrift>>): ThriftStruct {
  const entries = Object.entries(members).map(([id, member]) => [Number(id), member] as const)
  return { type: STRUCT, members: new Map(entries) }
}

/** Reads a number that is not negative, which is written twice as large. */
export function numberIn({ bytes }: ThriftScalar): number {
  return bytes.reduceRight((value, byte) => value * 0x80 + (byte % 0x80), 0) / 2
}

function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...varint(Math.floor(value / 0x80))]
}
