/** A reference to an object of a file. */
export class PdfReference {
  readonly object: number

  constructor(object: number) {
    this.object = object
  }
}

/** A name of a PDF file, such as `/Type`. */
export class PdfName {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** An operator of a page's content, or a keyword of a file. */
export class PdfOperator {
  readonly operator: string

  constructor(operator: string) {
    this.operator = operator
  }
}

export type PdfDictionary = ReadonlyMap<string, PdfValue>

/** A value of a PDF file. A string is a buffer. */
export type PdfValue =
  | number
  | boolean
  | null
  | Buffer
  | PdfName
  | PdfReference
  | PdfOperator
  | PdfDictionary
  | readonly PdfValue[]

const SPACE = /(?:[\0\t\n\f\r ]|%[^\r\n]*)*/y
const REFERENCE = /(\d+) \d+ R(?![^\0\t\n\f\r ()<>[\]{}/%])/y
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)/y
const NAME = /\/([^\0\t\n\f\r ()<>[\]{}/%]*)/y
const HEX = /<([0-9A-Fa-f\s]*)>/y
const WORD = /[^\0\t\n\f\r ()<>[\]{}/%]+/y
const STRING_PART = /[^\\()]+|\\(?:\r\n|[0-7]{1,3}|[^])|[()]/y

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '\n': '',
  '\r': '',
  '\r\n': '',
}

/** Reads the values of a PDF file or of a page's content one by one (ISO 32000-1, 7.3). */
export class PdfParser {
  readonly #text: string
  #at: number

  /** @param text a byte in each character */
  constructor(text: string, at = 0) {
    this.#text = text
    this.#at = at
  }

  /** Where the next value begins. */
  get place(): number {
    this.#match(SPACE)
    return this.#at
  }

  /** Whether no value follows. */
  get isAtEnd(): boolean {
    return this.place >= this.#text.length
  }

  /**
   * Reads the next value.
   *
   * @throws an Error that names the place of what is no value
   */
  read(): PdfValue {
    const { place } = this
    if (this.#skip('<<')) return this.#dictionary()
    if (this.#skip('[')) return this.#listUntil(']')
    if (this.#skip('(')) return this.#string()
    const hex = this.#match(HEX)?.[1]?.replaceAll(/\s/g, '')
    if (hex !== undefined) return Buffer.from(hex.length % 2 === 0 ? hex : `${hex}0`, 'hex')
    const name = this.#match(NAME)?.[1]
    if (name !== undefined) return new PdfName(name)
    const object = this.#match(REFERENCE)?.[1]
    if (object !== undefined) return new PdfReference(Number(object))
    const number = this.#match(NUMBER)?.[0]
    if (number !== undefined) return Number(number)
    const word = this.#match(WORD)?.[0]
    if (word === undefined) throw new Error(`The PDF has no value at ${place}.`)
    if (word === 'null') return null
    return word === 'true' || word === 'false' ? word === 'true' : new PdfOperator(word)
  }

  #dictionary(): PdfDictionary {
    const entries = this.#listUntil('>>')
    const dictionary = new Map<string, PdfValue>()
    for (let index = 0; index < entries.length; index += 2) {
      const [key, value] = [entries[index], entries[index + 1]]
      if (!(key instanceof PdfName) || value === undefined || dictionary.has(key.name)) {
        throw new Error(`The PDF has a malformed dictionary before ${this.#at}.`)
      }
      dictionary.set(key.name, value)
    }
    return dictionary
  }

  #listUntil(end: string): readonly PdfValue[] {
    const values: PdfValue[] = []
    while (!this.#skip(end)) values.push(this.read())
    return values
  }

  #string(): Buffer {
    let text = ''
    for (let depth = 1; ; ) {
      const part = this.#match(STRING_PART)?.[0]
      if (part === undefined) throw new Error('The PDF has a string without an end.')
      if (part === '(') depth += 1
      if (part === ')') depth -= 1
      if (depth === 0) return Buffer.from(text, 'latin1')
      text += part.startsWith('\\') ? unescaped(part.slice(1)) : part
    }
  }

  #skip(text: string): boolean {
    const { place } = this
    if (!this.#text.startsWith(text, place)) return false
    this.#at = place + text.length
    return true
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match) this.#at = pattern.lastIndex
    return match
  }
}

function unescaped(escape: string): string {
  if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8) & 0xff)
  return ESCAPES[escape] ?? escape
}
