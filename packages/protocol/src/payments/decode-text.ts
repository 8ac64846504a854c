/**
 * Reads what a text hides from a search: characters that are percent-encoded (once or several times), escaped as in
 * HTML or JSON, invisible, or other forms of ASCII's, such as full-width ones. The work is linear.
 */
export function decodeText(text: string): string {
  // What is encoded in two ways is decoded twice.
  return toAscii(decodeOnce(decodeOnce(text)))
}

const ENCODED =
  /(?:%(?:25)*[\dA-F]{2})+|&#0*(\d{1,7});?|&#x0*([\dA-F]{1,6});?|\\(?:u\{0*([\dA-F]{1,6})\}|u([\dA-F]{4})|x([\dA-F]{2}))|&(\w{3,6});/gi

/** Names that HTML has for characters that stand beside a field's name, or between digits. */
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
  return text.replaceAll(ENCODED, (...found: readonly (string | undefined)[]) => {
    const [written = '', decimal, ...rest] = found
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
  // Most are one byte of ASCII, which takes no decoder.
  if (/^[0-7].$/.test(bytes)) return String.fromCharCode(Number.parseInt(bytes, 16))
  return UTF8.decode(Uint8Array.from(bytes.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16)))
}

const INVISIBLE = /(?:(?!\p{ASCII})[\p{Cf}\p{M}\p{DI}])+/gu

function toAscii(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text
  // One by one: the normal form of a long row of marks takes more than linear work.
  return text.replaceAll(INVISIBLE, '').replaceAll(/\P{ASCII}/gu, (one) => one.normalize('NFKC'))
}
