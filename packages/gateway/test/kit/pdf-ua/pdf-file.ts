import { inflateSync } from 'node:zlib'
import {
  type PdfDictionary,
  PdfName,
  PdfOperator,
  PdfParser,
  PdfReference,
  type PdfValue,
} from './parse-pdf.ts'

/** An object of a file: its value, and the bytes of its stream. */
interface PdfObject {
  readonly value: PdfValue
  readonly stream: Buffer | undefined
}

const EMPTY: PdfDictionary = new Map()

/** The objects of a PDF file whose places are in a stream (ISO 32000-1, 7.5.8), as tagged documents have them. */
export class PdfFile {
  readonly trailer: PdfDictionary
  readonly #bytes: Buffer
  readonly #text: string
  readonly #objects = new Map<number, PdfObject>()

  /** @throws an Error if the file has no stream of places */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#text = bytes.toString('latin1')
    const start = /startxref\n(\d+)\n%%EOF\n$/.exec(this.#text)?.[1]
    const places = this.#readAt(Number(start))
    this.trailer = dictionaryOf(places.value)
    if (nameOf(this.trailer.get('Type')) !== 'XRef') throw new Error('The PDF has no XRef stream.')
    const entries = places.stream ?? Buffer.alloc(0)
    for (let at = 0; at < entries.length; at += 8) {
      const place = entries.readUIntBE(at + 1, 6)
      if (entries[at] === 1) this.#objects.set(at / 8, this.#readAt(place))
    }
    for (const { value, stream } of this.#objects.values()) {
      const dictionary = dictionaryOf(value)
      if (stream && nameOf(dictionary.get('Type')) === 'ObjStm') this.#unpack(dictionary, stream)
    }
  }

  /** Follows a reference to its value. Other values do not change. */
  valueOf(value: PdfValue | undefined): PdfValue {
    if (!(value instanceof PdfReference)) return value ?? null
    return this.#objects.get(value.object)?.value ?? null
  }

  /** Returns a dictionary, or an empty one for another value. */
  dictionary(value: PdfValue | undefined): PdfDictionary {
    return dictionaryOf(this.valueOf(value))
  }

  /** Returns the elements of an array, and no elements for another value. */
  array(value: PdfValue | undefined): readonly PdfValue[] {
    const found = this.valueOf(value)
    return Array.isArray(found) ? found : []
  }

  /** Returns the bytes of a stream without its filter. */
  stream(value: PdfValue | undefined): Buffer | undefined {
    return value instanceof PdfReference ? this.#objects.get(value.object)?.stream : undefined
  }

  /** The catalog of the document. */
  get catalog(): PdfDictionary {
    return this.dictionary(this.trailer.get('Root'))
  }

  /** Returns the objects of the pages in their order. */
  pages(node: PdfValue | undefined = this.catalog.get('Pages')): readonly PdfReference[] {
    const kids = this.dictionary(node).get('Kids')
    if (kids !== undefined) return this.array(kids).flatMap((kid) => this.pages(kid))
    return node instanceof PdfReference ? [node] : []
  }

  #readAt(place: number): PdfObject {
    const parser = new PdfParser(this.#text, place)
    for (let part = 0; part < 3; part += 1) parser.read()
    const value = parser.read()
    const streamAt = parser.place
    const keyword = parser.read()
    if (!(keyword instanceof PdfOperator) || keyword.operator !== 'stream') {
      return { value, stream: undefined }
    }
    const start = streamAt + 'stream\n'.length
    const dictionary = dictionaryOf(value)
    const content = this.#bytes.subarray(start, start + Number(dictionary.get('Length')))
    const isDeflated = nameOf(dictionary.get('Filter')) === 'FlateDecode'
    return { value, stream: isDeflated ? inflateSync(content) : content }
  }

  #unpack(dictionary: PdfDictionary, stream: Buffer): void {
    const text = stream.toString('latin1')
    const numbers = new PdfParser(text)
    for (let count = Number(dictionary.get('N')); count > 0; count -= 1) {
      const [object, place] = [numbers.read(), numbers.read()].map(Number)
      const start = Number(dictionary.get('First')) + (place ?? 0)
      const value = new PdfParser(text, start).read()
      this.#objects.set(object ?? 0, { value, stream: undefined })
    }
  }
}

/** Returns the text of a name. Other values have none. */
export function nameOf(value: PdfValue | undefined): string | undefined {
  return value instanceof PdfName ? value.name : undefined
}

/** Returns the text of a string in UTF-16 or Latin-1. Other values have none. */
export function stringOf(value: PdfValue | undefined): string {
  if (!Buffer.isBuffer(value)) return ''
  const isUtf16 = value[0] === 0xfe && value[1] === 0xff
  return isUtf16
    ? Buffer.from(value.subarray(2)).swap16().toString('utf16le')
    : value.toString('latin1')
}

function dictionaryOf(value: PdfValue): PdfDictionary {
  return value instanceof Map ? value : EMPTY
}
