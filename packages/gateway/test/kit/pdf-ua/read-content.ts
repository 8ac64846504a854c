import {
  type PdfDictionary,
  PdfOperator,
  PdfParser,
  PdfReference,
  type PdfValue,
} from './parse-pdf.ts'
import { nameOf, type PdfFile } from './pdf-file.ts'

/** The codes that the pages show, by the object of their font. */
export type ShownCodes = Map<number, Set<number>>

/** The marked content of a page. */
export interface PageContent {
  /** The ids of marked content in their order. */
  readonly ids: readonly number[]
  /** The subtypes of the artifacts that show text. */
  readonly furniture: readonly (string | undefined)[]
  readonly faults: readonly string[]
}

/** Marked content that has begun. */
interface Mark {
  readonly isArtifact: boolean
  readonly id: number | undefined
  readonly subtype: string | undefined
  readonly textDepth: number
}

const PAINTING = new Set(['S', 's', 'f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'sh', 'EI'])
const SHOWING = new Set(['Tj', 'TJ', "'", '"'])

/** Reads the content of a page, and adds the codes that it shows. */
export function readContent(file: PdfFile, page: PdfReference, shown: ShownCodes): PageContent {
  const reader = new ContentReader(file, shown)
  const { Contents, Resources } = Object.fromEntries(file.dictionary(page))
  reader.read(file.stream(Contents), file.dictionary(Resources))
  reader.end()
  return reader
}

class ContentReader implements PageContent {
  readonly ids: number[] = []
  readonly furniture: (string | undefined)[] = []
  readonly faults: string[] = []
  readonly #file: PdfFile
  readonly #shown: ShownCodes
  readonly #marks: Mark[] = []
  #font: PdfValue | undefined
  readonly #fonts: (PdfValue | undefined)[] = []
  #textDepth = 0

  constructor(file: PdfFile, shown: ShownCodes) {
    this.#file = file
    this.#shown = shown
  }

  read(stream: Buffer | undefined, resources: PdfDictionary): void {
    if (!stream) this.faults.push('The content has no stream.')
    const parser = new PdfParser(stream?.toString('latin1') ?? '')
    let operands: PdfValue[] = []
    while (!parser.isAtEnd) {
      const value = parser.read()
      if (value instanceof PdfOperator) {
        this.#run(value.operator, operands, resources)
        operands = []
      } else {
        operands.push(value)
      }
    }
  }

  end(): void {
    if (this.#marks.length > 0) this.faults.push('Marked content has no end.')
    if (this.#textDepth > 0) this.faults.push('A text object has no end.')
    if (this.#fonts.length > 0) this.faults.push('A graphics state is not restored.')
  }

  #run(operator: string, operands: readonly PdfValue[], resources: PdfDictionary): void {
    if (operator === 'BDC' || operator === 'BMC') this.#begin(operands)
    else if (operator === 'EMC') this.#endMark()
    else if (operator === 'BT' || operator === 'ET') this.#textDepth += operator === 'BT' ? 1 : -1
    else if (operator === 'q') this.#fonts.push(this.#font)
    else if (operator === 'Q') this.#font = this.#fonts.pop()
    else if (operator === 'Tf') this.#font = this.#resource(resources, 'Font', operands[0])
    else if (operator === 'Do') this.#draw(this.#resource(resources, 'XObject', operands[0]))
    else if (SHOWING.has(operator)) this.#show(operator, operands.flat())
    else if (PAINTING.has(operator)) this.#checkMarked(operator)
  }

  #begin([tag, properties]: readonly PdfValue[]): void {
    const entries = this.#file.dictionary(properties)
    const id = entries.get('MCID')
    const mark = {
      isArtifact: nameOf(tag) === 'Artifact',
      id: typeof id === 'number' ? id : undefined,
      subtype:
        nameOf(entries.get('Type')) === 'Pagination' ? nameOf(entries.get('Subtype')) : undefined,
      textDepth: this.#textDepth,
    }
    if (mark.isArtifact && mark.id !== undefined)
      this.faults.push(`An artifact has the id ${mark.id}.`)
    if (mark.id !== undefined) this.ids.push(mark.id)
    this.#marks.push(mark)
    if (this.#owners.length > 1) this.faults.push('Marked content is inside other marked content.')
  }

  #endMark(): void {
    const mark = this.#marks.pop()
    if (!mark) this.faults.push('Marked content ends twice.')
    else if (mark.textDepth !== this.#textDepth)
      this.faults.push('Marked content crosses a text object.')
  }

  /** The marks that say whose content it is: artifacts, and elements of the structure. */
  get #owners(): readonly Mark[] {
    return this.#marks.filter(({ isArtifact, id }) => isArtifact || id !== undefined)
  }

  #checkMarked(operator: string): void {
    if (this.#owners.length === 0) this.faults.push(`${operator} paints outside of marked content.`)
  }

  #draw(object: PdfValue | undefined): void {
    this.#checkMarked('Do')
    const { Resources, Subtype } = Object.fromEntries(this.#file.dictionary(object))
    if (nameOf(Subtype) !== 'Form') return
    const font = this.#font
    this.read(this.#file.stream(object), this.#file.dictionary(Resources))
    this.#font = font
  }

  #show(operator: string, operands: readonly PdfValue[]): void {
    this.#checkMarked(operator)
    if (this.#textDepth !== 1) this.faults.push(`${operator} is outside of a text object.`)
    for (const { isArtifact, subtype } of this.#owners) if (isArtifact) this.furniture.push(subtype)
    const font = this.#font
    if (!(font instanceof PdfReference)) {
      this.faults.push(`${operator} has no font.`)
      return
    }
    const codes = this.#shown.get(font.object) ?? new Set()
    this.#shown.set(font.object, codes)
    const isComposite = nameOf(this.#file.dictionary(font).get('Subtype')) === 'Type0'
    for (const bytes of operands) {
      if (!Buffer.isBuffer(bytes)) continue
      if (isComposite && bytes.length % 2 === 1) this.faults.push('A code has half of its bytes.')
      for (let at = 0; at < bytes.length; at += isComposite ? 2 : 1) {
        codes.add(isComposite ? ((bytes[at] ?? 0) << 8) + (bytes[at + 1] ?? 0) : (bytes[at] ?? 0))
      }
    }
  }

  #resource(
    resources: PdfDictionary,
    kind: string,
    name: PdfValue | undefined,
  ): PdfValue | undefined {
    const found = this.#file.dictionary(resources.get(kind)).get(nameOf(name) ?? '')
    if (found === undefined) this.faults.push(`The resources have no ${kind} ${nameOf(name)}.`)
    return found
  }
}
