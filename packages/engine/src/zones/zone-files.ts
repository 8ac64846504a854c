import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Offset, readOffsets } from './zone-offsets.ts'

/**
 * Creates a function that gives the engine Node's rules of a time zone. The engine's own time-zone database is of
 * another year; a file with Node's rules replaces it.
 *
 * @param folder where the files are written, once for each zone and process
 * @returns a function from a zone's IANA name to its name in SQL
 */
export function createZoneFiles(folder: string): (timezone: string) => Promise<string> {
  const names = new Map<string, Promise<string>>()
  const write = async (timezone: string): Promise<string> => {
    const file = resolve(folder, timezone)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, encodeZone(await readOffsets(timezone)))
    return `file:${file}`
  }
  return async (timezone) => {
    if (timezone === 'UTC') return timezone
    const name = names.get(timezone) ?? write(timezone)
    names.set(timezone, name)
    // A failed write is retried by the next request.
    name.catch(() => names.delete(timezone))
    return await name
  }
}

const ABBREVIATION = 'LCL\0'

/** Encodes offsets as a TZif file, version 2 (RFC 9636). */
function encodeZone([first, ...changes]: readonly Offset[]): Uint8Array {
  const types = [...new Set([first, ...changes].map((offset) => offset?.seconds ?? 0))]
  const times = Buffer.alloc(changes.length * 8)
  for (const [index, { from }] of changes.entries()) {
    times.writeBigInt64BE(BigInt(from / 1000), index * 8)
  }
  return Buffer.concat([
    // The version 1 block, which readers of version 2 skip: one type and no changes.
    encodeHeader(0, 1),
    encodeTypes(types.slice(0, 1)),
    Buffer.from(ABBREVIATION),
    encodeHeader(changes.length, types.length),
    times,
    Buffer.from(changes.map(({ seconds }) => types.indexOf(seconds))),
    encodeTypes(types),
    Buffer.from(ABBREVIATION),
    // No rule for later times.
    Buffer.from('\n\n'),
  ])
}

function encodeHeader(changeCount: number, typeCount: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('TZif2')
  for (const [index, count] of [changeCount, typeCount, ABBREVIATION.length].entries()) {
    header.writeUInt32BE(count, 32 + index * 4)
  }
  return header
}

function encodeTypes(types: readonly number[]): Buffer {
  const bytes = Buffer.alloc(types.length * 6)
  for (const [index, seconds] of types.entries()) bytes.writeInt32BE(seconds, index * 6)
  return bytes
}
