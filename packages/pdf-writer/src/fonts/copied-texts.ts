/** Stands for no text. Readers show nothing for it. A glyph without a text would be an unknown character to them. */
export const NO_TEXT = '\u2060'

/** Stands for a text that a copy of the document lacks. */
const LOST = '\ufffd'

/** What no glyph may stand for (ISO 14289-1, 7.21.7), and half of a character. */
const NO_CHARACTERS = /[\0\ufeff\ufffe\ud800-\udfff]/gu

/** The UTF-16 units of all texts that are not the usual text of a glyph. */
const UNUSUAL_LENGTH_MAX = 16_000

/** The UTF-16 units of the usual text of a glyph. */
const USUAL_LENGTH_MAX = 4

/**
 * Limits the texts that a copy of the document has for its glyphs. One glyph can stand for millions of texts, such as
 * a ligature with invisible characters, and each pair of a glyph and a text takes memory until the document ends.
 */
export class CopiedTexts {
  #length = 0
  #areLost = false

  /** Whether a copy of the document lacks a text. */
  get areLost(): boolean {
    return this.#areLost
  }

  /**
   * Returns the text that a copy has for a new pair of a glyph and a text: the text, or U+FFFD if the document has too
   * many texts. U+FFFD also replaces what is no character, such as U+0000.
   *
   * @param isFirst whether the glyph stood for no text before
   */
  keep(text: string, isFirst: boolean): string {
    if (text.search(NO_CHARACTERS) >= 0) return text.replaceAll(NO_CHARACTERS, LOST)
    const isUsual = isFirst && text.length <= USUAL_LENGTH_MAX
    if (isUsual || text === NO_TEXT || text === LOST) return text
    if (this.#length + text.length > UNUSUAL_LENGTH_MAX) {
      this.#areLost = true
      return LOST
    }
    this.#length += text.length
    return text
  }
}
