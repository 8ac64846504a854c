import { promisify } from 'node:util'
import { constants, deflate } from 'node:zlib'
import { pdfRef } from './pdf-values.ts'

const deflated = promisify(deflate)

// Level 1 takes a third of the time of level 6, and its streams are a fifth larger.
const DEFLATE_OPTIONS = { level: constants.Z_BEST_SPEED }

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
  readonly #unwritten: (() => Promise<void>)[] = []

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
   * Writes an object with a stream. The file gets the object when `take` is called: threads deflate the bytes.
   *
   * @param entries the entries of its dictionary, apart from the length and the filter
   * @param bytes a string holds a byte in each character
   */
  writeStream(entries: string, bytes: Uint8Array | string, object = this.reserve()): number {
    const ready = deflated(
      typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes,
      DEFLATE_OPTIONS,
    )
    // The promise is awaited later, but a failure before then must not end the process.
    ready.catch(() => {})
    this.#unwritten.push(async () => {
      this.#addStream(object, `${entries}/Filter/FlateDecode`, await ready)
    })
    return object
  }

  /** Writes an object with a stream that stays readable in the file. */
  writePlainStream(entries: string, bytes: Uint8Array, object = this.reserve()): number {
    this.#addStream(object, entries, bytes)
    return object
  }

  /** How many streams wait for `take`. */
  get waiting(): number {
    return this.#unwritten.length
  }

  /** Returns the bytes of the file since the last call. */
  async take(): Promise<Uint8Array> {
    for (const write of this.#unwritten.splice(0)) await write()
    return Buffer.concat(this.#pieces.splice(0))
  }

  /** Ends the file, and returns its last bytes. */
  async finish(root: number, info: number, id: string): Promise<Uint8Array> {
    const before = await this.take()
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
    return Buffer.concat([before, ...this.#pieces.splice(0)])
  }

  #addStream(object: number, entries: string, bytes: Uint8Array): void {
    this.#begin(object)
    this.#add(`<<${entries}/Length ${bytes.length}>>\nstream\n`)
    this.#pieces.push(bytes)
    this.#bytes += bytes.length
    this.#add('\nendstream\nendobj\n')
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
