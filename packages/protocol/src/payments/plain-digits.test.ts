import { expect, test } from 'vitest'
import { plainDigits } from './plain-digits.ts'

test('replaces the decimal digits of every script by 0 to 9', () => {
  const points = Array.from({ length: 0x11_0000 }, (_, point) => point)
  const digits = points
    .filter((point) => point < 0xd800 || point > 0xdfff)
    .map((point) => String.fromCodePoint(point))
    .filter((character) => /\p{Nd}/u.test(character))
  expect(digits.length).toBeGreaterThan(700)
  // Unicode encodes them in blocks of ten.
  expect(digits.map(plainDigits).join('')).toBe('0123456789'.repeat(digits.length / 10))
})

test.each([
  ['full-width', '\u{FF14}\u{FF11}', '41'],
  ['mathematical', '\u{1D7D2}\u{1D7CF}\u{1D7FF}', '419'],
  ['superscript and subscript', '⁴¹₁', '411'],
  ['circled and bracketed', '④①⑴⒈⑩', '411110'],
  ['circled without a compatible form', '❹➀➊⓵⓿⓫❿\u{1F10B}', '4111011100'],
  ['Ethiopic', '፬፩፱', '419'],
  ['New Tai Lue and Brahmi', '\u{19DA}\u{11052}\u{1105A}', '119'],
  ['Kharoshthi and Rumi', '\u{10A43}\u{10E60}\u{10E68}', '419'],
  ['tags', '\u{E0034}\u{E0031}\u{E0030}\u{E0039}', '4109'],
  ['combining marks and keycaps', '4\u0301\u0327 1\u{FE0F}\u{20E3}', '4 1'],
  ['invisible characters', '4\u{200B}1\u{3164}1\u{E0001}', '411'],
  ['spaces and dashes', '4\u{A0}1\u{2009}1\u{2013}1\u{2212}1', '4 1 1-1-1'],
])('%s', (_, text, plain) => {
  expect(plainDigits(text)).toBe(plain)
})

test('keeps all other characters', () => {
  const text = 'Оплата №7, ½ ค่า é 漢字 \u{1F4B8} 4111'
  expect(plainDigits(text.normalize('NFC'))).toBe(
    'Оплата №7, ½ คา é 漢字 \u{1F4B8} 4111'.normalize('NFC'),
  )
})
