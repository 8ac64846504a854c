// Invisible characters: everything but letters, numbers, punctuation and symbols, and the blank ones among those. The
// pattern lists the visible classes, because the engine's Unicode version knows fewer combining marks than Node's.
const UNSEEN = String.raw`(?:[^\p{L}\p{N}\p{P}\p{S}]|[\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}])`

// The signs `- = + @`, and the forms that spreadsheets read as them: full-width, small, and the minus sign.
const SIGN = String.raw`[-=+@\u{FF0D}\u{FF1D}\u{FF0B}\u{FF20}\u{FE62}\u{FE63}\u{FE66}\u{FE6B}\u{2212}]`

/**
 * The pattern of a text that a spreadsheet may take for a formula, for Node and the engine. Such a text begins with a
 * tab, a line end or a sign. Some spreadsheets drop invisible characters before the sign.
 */
export const FORMULA = String.raw`^(?:[\t\r\n]|${UNSEEN}*${SIGN})`

/**
 * Puts an apostrophe before a text that a spreadsheet may take for a formula.
 *
 * @example
 * neutraliseText('=1+1') // "'=1+1"
 */
export function neutraliseText(text: string): string {
  return new RegExp(FORMULA, 'u').test(text) ? `'${text}` : text
}
