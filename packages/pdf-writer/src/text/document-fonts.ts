import type { Turn } from '../turn.ts'
import { CopiedTexts } from '../fonts/copied-texts.ts'
import { EmbeddedFont } from '../fonts/embedded-font.ts'
import type { FontFaces } from '../fonts/font-face.ts'
import { FONT_FAMILIES, type FontFamily, type FontWeight } from '../fonts/font-families.ts'
import type { PdfObjects } from '../objects/pdf-objects.ts'

const [PLAIN_FAMILY] = FONT_FAMILIES

/** Characters that have no shape of their own, so that no font needs to have them. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u
/** Characters that belong to the text around them: marks, spaces, digits and punctuation. */
const NEUTRAL = /^[\p{M}\p{Script=Common}\p{Script=Inherited}]$/u

/** How many characters without a font have a code of their own in a document. */
const MISSING_MAX = 1000

/** How many choices of a family a document remembers. */
const CHOSEN_MAX = 10_000

/** The fonts that a document uses. */
export class DocumentFonts {
  readonly faces: FontFaces
  /** The characters that no installed font has. */
  readonly missing = new Set<string>()
  /** Limits the texts that a copy of the document has. */
  readonly copied = new CopiedTexts()
  readonly #objects: PdfObjects
  readonly #embedded = new Map<string, EmbeddedFont>()
  readonly #chosen = new Map<string, FontFamily | undefined>()
  readonly #plain: Readonly<Record<FontWeight, EmbeddedFont>>

  constructor(faces: FontFaces, objects: PdfObjects) {
    this.faces = faces
    this.#objects = objects
    this.#plain = {
      regular: this.embed(PLAIN_FAMILY, 'regular'),
      bold: this.embed(PLAIN_FAMILY, 'bold'),
    }
  }

  /** The font of plain texts. */
  plain(weight: FontWeight): EmbeddedFont {
    return this.#plain[weight]
  }

  /** Returns the width of a plain text in thousandths of its size, and -1 for other texts. */
  plainWidth(text: string, weight: FontWeight): number {
    const widths = this.#plain[weight].face.plainWidths
    let width = 0
    for (let index = 0; index < text.length; index += 1) {
      const advance = widths[text.charCodeAt(index)] ?? -1
      if (advance < 0) return -1
      width += advance
    }
    return width
  }

  /** Returns a font of the document. */
  embed(family: FontFamily, weight: FontWeight): EmbeddedFont {
    const face = this.faces.read(family, weight)
    const known = this.#embedded.get(face.name)
    if (known) return known
    const name = `F${this.#embedded.size}`
    const font = new EmbeddedFont(face, name, this.#objects, this.copied)
    this.#embedded.set(face.name, font)
    return font
  }

  /**
   * Chooses the family that shows a character.
   *
   * @param before the family of the character before it
   * @returns `undefined` if no installed font has the character
   */
  familyOf(character: string, before: FontFamily, weight: FontWeight): FontFamily | undefined {
    const key = `${weight} ${before.name} ${character}`
    const known = this.#chosen.get(key)
    if (known !== undefined || this.#chosen.has(key)) return known
    const family = this.#choose(character, before, weight)
    if (this.#chosen.size < CHOSEN_MAX) this.#chosen.set(key, family)
    return family
  }

  #choose(character: string, before: FontFamily, weight: FontWeight): FontFamily | undefined {
    if (INVISIBLE.test(character)) return before
    const code = character.codePointAt(0) ?? 0
    const has = (family: FontFamily): boolean => {
      return this.faces.read(family, weight).characters.has(code)
    }
    if (NEUTRAL.test(character) && has(before)) return before
    const { families } = this.faces
    const preferred = families.find(({ prefers }) => prefers.test(character))
    return preferred && has(preferred) ? preferred : families.find(has)
  }

  /**
   * Notes a character that no installed font has.
   *
   * @returns the text that a copy of the document has for it: the character, or U+FFFD if the document has too many
   */
  addMissing(character: string): string {
    if (this.missing.size < MISSING_MAX) this.missing.add(character)
    return this.missing.has(character) ? character : '\ufffd'
  }

  /** Writes the fonts, and returns the entries of the pages' resources. Other work has its turn meanwhile. */
  async write(turn: Turn | undefined): Promise<string> {
    let entries = ''
    for (const font of this.#embedded.values()) entries += await font.write(this.#objects, turn)
    return entries
  }
}

/** The family of a text's first characters, if they may be of any. */
export const FIRST_FAMILY = PLAIN_FAMILY
