import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../usage-error.ts'

// A partition of a large file is small enough for the young generation of the heap, which is cheap to collect.
const PARTITIONS = 512
const BLOCK_BYTES = 32 * 1024
const UTF8_BYTES_MAX = 3

interface Partition {
  /** Lines that the temporary file does not hold yet. */
  block: Buffer
  blockBytes: number
  /** Where the temporary file holds the partition's other blocks. */
  readonly stored: { readonly offset: number; readonly bytes: number }[]
}

/**
 * Divides lines by a key: all lines of one key are in one of 512 partitions, which are read one after the other. What
 * does not fit into the memory of the partitions goes into a temporary file. The file loses its name as soon as it is
 * open. So nobody else can open it, and nothing is left behind when the process ends, however it ends.
 *
 * A comparison of 5,000,000 orders needs this: a `Map` of them would take more than 1 GB, and SQLite took twice as long
 * to sort them.
 */
export class Partitions {
  readonly #partitions = Array.from({ length: PARTITIONS }, (): Partition => {
    return { block: Buffer.alloc(0), blockBytes: 0, stored: [] }
  })
  #descriptor: number | undefined
  #fileBytes = 0

  /** Adds a line of at most 10,000 characters, without its line break, to the partition of a key. */
  add(key: string, line: string): void {
    const partition = this.#partitions[hash(key) % PARTITIONS]
    if (!partition) return
    if (partition.block.length === 0) partition.block = Buffer.allocUnsafe(BLOCK_BYTES)
    const bytesMax = (line.length + 1) * UTF8_BYTES_MAX
    if (partition.blockBytes + bytesMax > BLOCK_BYTES) this.#store(partition)
    partition.blockBytes += partition.block.write(`${line}\n`, partition.blockBytes)
  }

  /** Returns one partition after the other: its lines, in the order in which they were added. */
  *read(): Generator<Iterable<string>> {
    for (const partition of this.#partitions) yield this.#linesOf(partition)
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  *#linesOf({ block, blockBytes, stored }: Partition): Generator<string> {
    const bytes = Buffer.allocUnsafe(BLOCK_BYTES)
    for (const { offset, bytes: length } of stored) {
      for (let at = 0; at < length; ) {
        at += readSync(this.#descriptor ?? -1, bytes, at, length - at, offset + at)
      }
      yield* splitLines(bytes.toString('utf8', 0, length))
    }
    yield* splitLines(block.toString('utf8', 0, blockBytes))
  }

  #store(partition: Partition): void {
    const { block, blockBytes, stored } = partition
    try {
      this.#descriptor ??= openNameless()
      for (let at = 0; at < blockBytes; ) {
        at += writeSync(this.#descriptor, block, at, blockBytes - at, this.#fileBytes + at)
      }
    } catch (cause) {
      const [reason] = String(cause instanceof Error ? cause.message : cause).split(', ')
      const advice = 'name another folder for temporary files in the variable TMPDIR'
      throw new UsageError(`cannot write to ${tmpdir()}: ${reason}; ${advice}`, { cause })
    }
    stored.push({ offset: this.#fileBytes, bytes: blockBytes })
    this.#fileBytes += blockBytes
    partition.blockBytes = 0
  }
}

function openNameless(): number {
  const file = join(tmpdir(), `counterfoil-${randomUUID()}`)
  const descriptor = openSync(file, 'wx+', 0o600)
  unlinkSync(file)
  return descriptor
}

function splitLines(text: string): string[] {
  const lines = text.split('\n')
  lines.pop()
  return lines
}

/** FNV-1a over the code units of a text. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  }
  return value >>> 0
}
