import { spellingsOf } from './operation.ts'
import { OPERATIONS } from './operations.ts'

/** Every spelling of the fields with a card's number or verification value. */
export const SECRET_FIELD_NAMES: ReadonlySet<string> = new Set(
  Object.values(OPERATIONS).flatMap(({ fields }) => {
    return fields.filter(({ kind }) => kind === 'card' || kind === 'cvv').flatMap(spellingsOf)
  }),
)

// Other names of the verification value.
const OTHER_NAMES = ['cvv', 'cvc', 'cvc2', 'cvn', 'cvn2', 'cvd', 'cvd2', 'cav2', 'csc']
const NAMES = [...SECRET_FIELD_NAMES, ...OTHER_NAMES]
const NAMED = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${NAMES.join('|')})["'\\s\\\\]*[=:]`, 'iu')

/**
 * Whether a text has the name of a secret field before a value: `cvv2=739` or `{"cvv2":"739"}`, also encoded or with
 * invisible characters. It takes linear time.
 */
export function namesSecretField(text: string): boolean {
  return NAMED.test(decodeText(text))
}

/**
 * Decodes what a text may hide from a search: characters that are percent-encoded (once or several times), escaped as
 * in HTML or JSON, invisible, or variants of ASCII such as full-width ones. It takes linear time.
 */
export function decodeText(text: string): string {
  // Twice, because a text may be encoded in two ways.
  return toAscii(decodeOnce(decodeOnce(text)))
}

const ENCODED =
  /(?:%(?:25)*[\dA-F]{2})+|&#0*(\d{1,7});?|&#x0*([\dA-F]{1,6});?|\\(?:u\{0*([\dA-F]{1,6})\}|u([\dA-F]{4})|x([\dA-F]{2}))|&(\w{3,6});/gi

/** HTML entities of characters that may stand beside a field's name, or between digits. */
const ENTITIES = new Map([
  ['amp', '&'],
  ['nbsp', ' '],
  ['shy', ''],
  ['zwj', ''],
  ['zwnj', ''],
  ['quot', '"'],
  ['apos', "'"],
  ['equals', '='],
  ['colon', ':'],
])

const UTF8 = new TextDecoder()

function decodeOnce(text: string): string {
  if (!/[%&\\]/.test(text)) return text
  return text.replaceAll(ENCODED, (...groups: readonly (string | undefined)[]) => {
    const [written = '', decimal, ...rest] = groups
    const [html, braced, json, byte, name = ''] = rest
    if (written.startsWith('%')) return decodeBytes(written)
    const hex = html ?? braced ?? json ?? byte
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    if (Number.isNaN(point)) return ENTITIES.get(name.toLowerCase()) ?? written
    return point <= 0x10_ffff ? String.fromCodePoint(point) : written
  })
}

function decodeBytes(encoded: string): string {
  const bytes = encoded.replaceAll(/%(?:25)*(?=[\dA-F]{2})/gi, '')
  // Most are one byte of ASCII, which needs no decoder.
  if (/^[0-7].$/.test(bytes)) return String.fromCharCode(Number.parseInt(bytes, 16))
  return UTF8.decode(Uint8Array.from(bytes.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16)))
}

const INVISIBLE = /(?:(?!\p{ASCII})[\p{Cf}\p{M}\p{DI}])+/gu

function toAscii(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text
  // Character by character: normalising a long row of combining marks takes more than linear time.
  return text.replaceAll(INVISIBLE, '').replaceAll(/\P{ASCII}/gu, (one) => one.normalize('NFKC'))
}
