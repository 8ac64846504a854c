import { CELL_LENGTH_MAX, HARD_TEXT } from '@counterfoil/engine'
import { limitText } from '../documents/limit-text.ts'

// A character that XML does not have, or an underscore that begins what reads as an escaped character. A literal CR
// would become a line feed.
const ESCAPED = /[^\t\n\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]|_(?=x[0-9A-Fa-f]{4})/gu
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Writes a text as content or attribute of XML. Spreadsheets write U+0001 as `_x0001_`. */
export function xmlText(text: string): string {
  return text
    .replaceAll(ESCAPED, (character) => {
      return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
    })
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
}

/** Writes a text as the element `t` of a cell. A text that is too long for a cell is cut, and ends in a mark. */
export function textElement(text: string): string {
  return `<t xml:space="preserve">${xmlText(limitText(text, CELL_LENGTH_MAX))}</t>`
}

const HARD_TEXTS = new RegExp(`${HARD_TEXT}([0-9A-F]*)${HARD_TEXT}`, 'g')

export function writeHardTexts(xml: string): string {
  return xml.replaceAll(HARD_TEXTS, (_, hex: string) => {
    return textElement(Buffer.from(hex, 'hex').toString('utf8'))
  })
}
