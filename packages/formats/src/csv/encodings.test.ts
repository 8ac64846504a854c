import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import {
  createPieceEncoder,
  ENCODINGS,
  type Encoding,
  findEncoding,
  textEncoderOf,
} from './encodings.ts'

const CHARACTERS = Array.from({ length: 0x1_00_00 }, (_, unit) => String.fromCharCode(unit)).filter(
  (character) => !/[\ud800-\udfff]/.test(character),
)

/** Characters that Node's decoder, which is ICU's, reads in another way than the standard of the encoding. */
const READ_OTHERWISE: Readonly<Record<string, RegExp>> = {
  // For these labels the WHATWG standard has larger encodings, with other characters in place of controls.
  'ISO-8859-1': /[\x80-\x9f]/,
  'ISO-8859-9': /[\x80-\x9f]/,
  'ISO-8859-11': /[\x80-\x9f]/,
  'KOI8-U': /[╝╬]/,
  Shift_JIS: /[\x1a\x1c\x7f\x80]/,
  // ICU knows KS X 1001 only, without its two later characters and the syllables of windows-949.
  'EUC-KR': /[®€\uac00-\ud7a3]/,
  // Private characters, and those that replaced private ones in 2022.
  GBK: /[\ue000-\uf8ff]/,
  GB18030: /[\ue000-\uf8ff]/,
}

function named(label: string): Encoding {
  const encoding = findEncoding(label)
  if (!encoding) throw new Error(`expected an encoding with the label ${label}`)
  return encoding
}

function encodeAll(encoding: Encoding, text: string) {
  const { bytes, replaced } = textEncoderOf(encoding)(text)
  return { bytes: Buffer.from(bytes), replaced }
}

/** A decoder that we did not write. ICU lacks four code pages of DOS. */
function decoderOf({ charset, codec = charset }: Encoding): (bytes: Uint8Array) => string {
  if (charset.startsWith('IBM') && charset !== 'IBM866') {
    return (bytes) => iconv.decode(bytes, codec)
  }
  const decoder = new TextDecoder(charset, { ignoreBOM: true })
  return (bytes) => decoder.decode(bytes)
}

test.each(ENCODINGS.map((encoding) => [encoding.name, encoding] as const))(
  'a foreign decoder reads every character of %s, and every other character is counted',
  (_, encoding) => {
    const decode = decoderOf(encoding)
    const kept = CHARACTERS.filter((each) => textEncoderOf(encoding)(each).replaced === 0)
    const text = kept.filter((each) => !READ_OTHERWISE[encoding.charset]?.test(each)).join('')
    expect(decode(encodeAll(encoding, text).bytes)).toBe(text)
    const others = CHARACTERS.filter((each) => textEncoderOf(encoding)(each).replaced > 0).join('')
    const { bytes, replaced } = encodeAll(encoding, others)
    expect(replaced).toBe(others.length)
    expect(bytes.toString('latin1')).toBe('?'.repeat(others.length))
  },
  30_000,
)

test('GB18030 has the characters outside the BMP', () => {
  const encoding = named('GB18030')
  const others = Array.from({ length: 0x10_00_00 / 64 }, (_, index) => {
    return String.fromCodePoint(0x1_00_00 + index * 64 + (index % 64))
  }).join('')
  const { bytes, replaced } = encodeAll(encoding, others)
  expect([new TextDecoder('gb18030').decode(bytes) === others, replaced]).toEqual([true, 0])
})

test('a character that the encoding lacks becomes one question mark, also outside the BMP', () => {
  const cases = [
    ['windows-1252', 'a漢😀b', 'a??b', 2],
    ['Shift_JIS', '😀¥', '??', 2],
    ['US-ASCII', 'é\ufffd?', '???', 2],
  ] as const
  for (const [label, text, expected, count] of cases) {
    const { bytes, replaced } = encodeAll(named(label), text)
    expect([bytes.toString('latin1'), replaced]).toEqual([expected, count])
  }
})

test.each(['UTF-16LE', 'UTF-16BE', 'windows-1251', 'GB18030', 'Shift_JIS'])(
  'encodes the same %s wherever the pieces are cut',
  (label) => {
    const encoding = named(label)
    const text = 'a,"é"\r\nМосква 東京 😀\n€ 𝒳'
    const utf8 = Buffer.from(text)
    const expected = encodeAll(encoding, text)
    for (let cut = 0; cut <= utf8.length; cut += 1) {
      const encode = createPieceEncoder(encoding)
      const pieces = [utf8.subarray(0, cut), utf8.subarray(cut), undefined].map(encode)
      expect(Buffer.concat(pieces.map(({ bytes }) => bytes))).toEqual(expected.bytes)
      expect(pieces.reduce((sum, { replaced }) => sum + replaced, 0)).toBe(expected.replaced)
    }
  },
)

test('bytes that are not UTF-8 become the character for that, in their place', () => {
  const encode = createPieceEncoder(named('windows-1252'))
  const pieces = [Buffer.from('a\xe2\x82', 'latin1'), Buffer.from('bc'), undefined].map(encode)
  expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()).toBe('a?bc')
  expect(pieces.map(({ replaced }) => replaced)).toEqual([0, 1, 0])
})

test('finds an encoding by a label of the WHATWG standard, in any case', () => {
  expect(findEncoding('Cp1251')?.charset).toBe('windows-1251')
  expect(findEncoding('SJIS')?.charset).toBe('Shift_JIS')
  expect(findEncoding('ucs-2')?.charset).toBe('UTF-16LE')
  expect(findEncoding('iso-8859-1')?.charset).toBe('ISO-8859-1')
  expect(findEncoding('no-such')).toBeUndefined()
})
