/** The most characters of an id. */
export const ID_LENGTH_MAX = 128

/** A pattern of what no id has, in RE2 and in JavaScript: control characters, and a space at its start or its end. */
export const NOT_IN_ID = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\p{Zs}|\p{Zs}$`

const LENGTH = new RegExp(`^.{1,${ID_LENGTH_MAX}}$`, 'su')
const WRONG = new RegExp(NOT_IN_ID, 'u')

/** Whether a text may be the id of a merchant, a transaction and so on. */
export function isId(text: string): boolean {
  return LENGTH.test(text) && !WRONG.test(text)
}

/** What an id is, for errors. */
export const ID_EXPECTED = `an id: 1 to ${ID_LENGTH_MAX} characters without control characters, and without a space at either end`
