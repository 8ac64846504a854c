import { deflateSync } from 'node:zlib'
import { pdfRef } from './pdf-values.ts'

// Level 3 is the fastest on the content of pages: level 1 finds fewer repetitions. A thread of its own for each page
// takes three times the processor time. A compressed page has about 3 KiB.
const DEFLATE_OPTIONS = { level: 3, chunkSize: 4096 }

// Every page is compressed at once, so all pages share the memory of their uncompressed bytes.
const scratch = Buffer.allocUnsafeSlow(65_536)

/** The objects of a stream of small objects. */
const PACKED_MAX = 200

/** The place of a packed object counts down from here: its stream, and its index there. */
const FIRST_PACKED = -2

/** An entry of a stream of places: its kind, the place or the stream, and the index there. */
const ENTRY_BYTES = 8

// The second line tells programs that the file is binary.
const HEADER = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')

/**
 * Writes the objects of a PDF file in any order, and the table of their places at the end. Objects refer to each other
 * by their numbers, which `reserve` gives out.
 */
export class PdfObjects {
  #pieces: Uint8Array[] = [HEADER]
  #bytes = HEADER.length
  /** The place of each object in the file, by the object's number. The number 0 is no object. */
  readonly #places: number[] = [0]
  #takenBytes = 0
  /** The stream of the small objects that wait: its number, their numbers and places in it, and their bodies. */
  #pack = { stream: 0, count: 0, numbers: '', bodies: '' }
  #hasPacked = false

  /** Reserves the number of an object. */
  reserve(): number {
    return this.#places.push(-1) - 1
  }

  /** Writes an object, and returns its number. */
  write(body: string, object = this.reserve()): number {
    this.#begin(object)
    this.#add(`${body}\nendobj\n`)
    return object
  }

  /**
   * Writes an object with a compressed stream, and returns its number.
   *
   * @param entries the entries of its dictionary, apart from the length and the filter
   * @param bytes a string holds a byte in each character
   */
  writeStream(entries: string, bytes: Uint8Array | string, object = this.reserve()): number {
    const content = typeof bytes === 'string' ? bytesOf(bytes) : bytes
    const deflated = deflateSync(content, DEFLATE_OPTIONS)
    return this.writePlainStream(`${entries}/Filter/FlateDecode`, deflated, object)
  }

  /** Writes an object with a stream that stays readable in the file, and returns its number. */
  writePlainStream(entries: string, bytes: Uint8Array, object = this.reserve()): number {
    this.#begin(object)
    this.#add(`<<${entries}/Length ${bytes.length}>>\nstream\n`)
    this.#pieces.push(bytes)
    this.#bytes += bytes.length
    this.#add('\nendstream\nendobj\n')
    return object
  }

  /** Writes a small object without a stream. Such objects share compressed streams, and take few bytes each. */
  writePacked(body: string, object: number): void {
    const pack = this.#pack
    if (pack.count === 0) pack.stream = this.reserve()
    this.#places[object] = FIRST_PACKED - pack.stream * PACKED_MAX - pack.count
    pack.count += 1
    pack.numbers += `${object} ${pack.bodies.length} `
    pack.bodies += `${body} `
    if (pack.count === PACKED_MAX) this.#writePack()
  }

  #writePack(): void {
    const { stream, count, numbers, bodies } = this.#pack
    this.#pack = { stream: 0, count: 0, numbers: '', bodies: '' }
    this.#hasPacked = true
    const entries = `/Type/ObjStm/N ${count}/First ${numbers.length}`
    this.writeStream(entries, numbers + bodies, stream)
  }

  /** How many bytes wait for `take`. */
  get waitingBytes(): number {
    return this.#bytes - this.#takenBytes
  }

  /** Returns the bytes of the file since the last call. */
  take(): Uint8Array {
    this.#takenBytes = this.#bytes
    return Buffer.concat(this.#pieces.splice(0))
  }

  /** Ends the file. */
  finish(root: number, info: number, id: string): void {
    if (this.#pack.count > 0) this.#writePack()
    if (this.#hasPacked) {
      this.#finishWithStream(root, info, id)
      return
    }
    const start = this.#bytes
    const entries = this.#places.map((place, object) => {
      return object === 0
        ? '0000000000 65535 f\r\n'
        : `${String(place).padStart(10, '0')} 00000 n\r\n`
    })
    const size = this.#places.length
    this.#add(`xref\n0 ${size}\n${entries.join('')}`)
    const trailer = `/Size ${size}/Root ${pdfRef(root)}/Info ${pdfRef(info)}/ID[<${id}><${id}>]`
    this.#add(`trailer\n<<${trailer}>>\nstartxref\n${start}\n%%EOF\n`)
  }

  /** Ends a file with packed objects, whose places only a stream can hold (ISO 32000-1, 7.5.8). */
  #finishWithStream(root: number, info: number, id: string): void {
    const object = this.reserve()
    const start = this.#bytes
    this.#places[object] = start
    const size = this.#places.length
    const entries = Buffer.alloc(size * ENTRY_BYTES)
    for (const [number, place] of this.#places.entries()) {
      const at = number * ENTRY_BYTES
      const packed = FIRST_PACKED - place
      if (packed >= 0) {
        entries[at] = 2
        entries.writeUIntBE(Math.floor(packed / PACKED_MAX), at + 1, 6)
        entries[at + 7] = packed % PACKED_MAX
      } else if (number > 0) {
        entries[at] = 1
        entries.writeUIntBE(place, at + 1, 6)
      }
    }
    const trailer = `/Size ${size}/Root ${pdfRef(root)}/Info ${pdfRef(info)}/ID[<${id}><${id}>]`
    this.writeStream(`/Type/XRef/W[1 6 1]${trailer}`, entries, object)
    this.#add(`startxref\n${start}\n%%EOF\n`)
  }

  #begin(object: number): void {
    this.#places[object] = this.#bytes
    this.#add(`${object} 0 obj\n`)
  }

  #add(text: string): void {
    const bytes = Buffer.from(text, 'latin1')
    this.#pieces.push(bytes)
    this.#bytes += bytes.length
  }
}

/** Returns the bytes of a text. They last until the next call, unless the text is very long. */
function bytesOf(text: string): Uint8Array {
  if (text.length > scratch.length) return Buffer.from(text, 'latin1')
  return scratch.subarray(0, scratch.write(text, 'latin1'))
}
