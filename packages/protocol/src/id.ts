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

const NEEDS_QUOTES = /[",]/
const ELEMENT = /\s*(?:"((?:[^"]|"")*)"|([^",]*?))\s*(,|$)/gy

/** Writes ids with commas between them. An id with a comma or a quote has quotes around it, as in CSV. */
export function formatIds(ids: readonly string[]): string {
  const written = ids.map((id) => (NEEDS_QUOTES.test(id) ? `"${id.replaceAll('"', '""')}"` : id))
  return written.join(', ')
}

/** Reads ids with commas between them, each once. Returns `undefined` if one of them is no id. */
export function readIds(text: string): string[] | undefined {
  const ids = new Set<string>()
  for (const [, quoted, plain = '', end] of text.matchAll(ELEMENT)) {
    const id = quoted?.replaceAll('""', '"') ?? plain
    if (!isId(id)) return undefined
    ids.add(id)
    if (end === '') return [...ids]
  }
  return undefined
}

/** The error for a text that is no list of ids. */
export const IDS_EXPECTED =
  'Expected ids such as 17,18. Write an id with a comma or a quote as in CSV: "a,b".'
