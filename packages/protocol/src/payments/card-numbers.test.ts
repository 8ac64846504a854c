import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { holdsCardNumber, isCardNumber, passesLuhn, plainDigits } from './card-numbers.ts'

/** Creates a number with a prefix and a length that passes the Luhn check. */
function cardOf(prefix: string, length: number): string {
  const digits = prefix.padEnd(length - 1, '7')
  const card = Array.from('0123456789', (check) => digits + check).find((all) => passesLuhn(all))
  if (card === undefined) throw new Error('one of ten check digits is right')
  return card
}

/** Creates the same number with another check digit. */
const notCard = (card: string): string => card.slice(0, -1) + ((Number(card.at(-1)) + 1) % 10)

const CARDS = [
  ...['30', '36', '38', '39'].map((prefix) => cardOf(prefix, 14)),
  ...['34', '37'].map((prefix) => cardOf(prefix, 15)),
  ...[13, 16, 19].map((length) => cardOf('4', length)),
  ...['2221', '2720', '35', '51', '55', '6011', '65'].map((prefix) => cardOf(prefix, 16)),
  ...['50', '56', '57', '58', '60', '63', '67', '69'].map((prefix) => cardOf(prefix, 18)),
  ...[17, 18, 19].map((length) => cardOf('62', length)),
  ...['506', '650'].map((prefix) => cardOf(prefix, 19)),
  cardOf('900100', 16),
]

test.each(CARDS)('%s is a card number in a text and in an identifier', (card) => {
  for (const text of [card, `order ${card}`, `x${card}y`, `1-${card}-2`]) {
    expect([text, holdsCardNumber(text), isCardNumber(text)]).toEqual([text, true, true])
  }
  for (const other of [notCard(card), `${card}00000000`]) {
    expect([other, holdsCardNumber(other), isCardNumber(other)]).toEqual([other, false, false])
  }
})

test.each(['\u{660}', '\u{6F0}', '\u{966}', '\u{E50}', '\u{FF10}', '\u{1D7CE}', '\u{11F50}'])(
  'finds a card number in the digits that begin with %j',
  (zero) => {
    const digit = (value: string) =>
      String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(value))
    for (const card of CARDS) {
      const written = Array.from(card, digit).join('')
      expect([card, holdsCardNumber(written), isCardNumber(written)]).toEqual([card, true, true])
    }
  },
)

test.each([
  '4111.1111.1111.1111',
  '1234.4111.1111.1111.1111',
  '4111\u{A0}1111\u{2013}1111\n1111',
  '3782/822463/10005',
  '3600.000000.0008',
  '4111\u{301}\u{327} 1111 1111 1111',
  '4111_1111_1111_1111_110',
])('finds a card number in the groups of %j', (text) => {
  expect([holdsCardNumber(text), isCardNumber(text)]).toEqual([true, true])
})

describe('an identifier', () => {
  test.each([
    '20261122103000',
    '20261122103000123',
    '2026112100000005',
    '1795216694000',
    '700000012345',
    '6304000000000000000',
    '9223372036854775807',
    '1000000000000000003',
  ])('%s is an order id', (id) => {
    expect(isCardNumber(id)).toBe(false)
  })

  // Some digits of each look like a card number, so the checksum of the IBAN decides.
  test.each(ibansLikeCards())('%s is an account', (iban) => {
    const spaced = iban.replaceAll(/.{4}(?=.)/g, '$& ')
    expect([isCardNumber(iban), isCardNumber(spaced)]).toEqual([false, false])
    expect([holdsCardNumber(iban), holdsCardNumber(spaced)]).toEqual([false, false])
    expect(isCardNumber(iban.replace(/^../, 'ID'))).toBe(true)
  })

  test('of a point in time is never a card number', () => {
    const moments = fc.date({
      min: new Date('2000-01-01'),
      max: new Date('2090-12-31'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moments, (moment) => {
        const digits = moment.toISOString().replaceAll(/\D/g, '')
        expect([digits, digits.slice(0, 14)].some(isCardNumber)).toBe(false)
        expect(isCardNumber(String(moment.getTime()))).toBe(false)
      }),
    )
  })
})

describe('a text', () => {
  // Without the checksum, one in three would count as a card number.
  test.each(['AT', 'DE', 'DK', 'FR', 'GB', 'NO', 'PL'])(
    'may hold any IBAN of %s, in one piece or in groups',
    (country) => {
      const texts = manyIbans(country).flatMap((iban) => {
        const spaced = iban.replaceAll(/.{4}(?=.)/g, '$& ')
        return [`to ${iban}, RENT`, `IBAN:${spaced} EUR 12`, `${spaced} AND ${spaced}`]
      })
      expect(texts.filter(holdsCardNumber)).toEqual([])
    },
  )

  test.each([
    'DK50 0040 0440 1162 43 and 4111 1111 1111 1111',
    'DK51 4111 1111 1111 1111',
    'DK5000400440116243 4111111111111111',
    'ZZ36 4111 1111 1111 1111',
  ])('holds a card number beside an IBAN, and in an invalid IBAN: %s', (text) => {
    expect(holdsCardNumber(text)).toBe(true)
  })

  test.each(ibansLikeCards())('holds no IBAN in the middle of a word: %s', (iban) => {
    expect([`x${iban}`, `${iban}x`, `x ${iban}`].map(holdsCardNumber)).toEqual([true, true, false])
  })
})

/** Creates IBANs with 16 and 18 digits after the country. */
function ibansLikeCards(): readonly string[] {
  return ['DK', 'AT'].flatMap((country) => {
    const ibans = manyIbans(country)
    return ibans.filter((iban) => isCardNumber(iban.replace(/^../, 'ID'))).slice(0, 3)
  })
}

/** The format of account numbers by country. `9` is any digit. */
const ACCOUNTS: Readonly<Record<string, string>> = {
  AT: '9'.repeat(16),
  DE: '9'.repeat(18),
  DK: '9'.repeat(14),
  FR: '9999999999AB9999999999C',
  GB: 'BANK99999999999999',
  NO: '9'.repeat(11),
  PL: '9'.repeat(24),
}

/** Creates valid IBANs of a country. */
function manyIbans(country: string): readonly string[] {
  return Array.from({ length: 500 }, (_, at) => {
    let state = at + 1
    const account = (ACCOUNTS[country] ?? '').replaceAll('9', () => {
      state = (state * 48_271) % 2_147_483_647
      return String(state % 10)
    })
    const digits = Array.from(`${account}${country}00`, (c) => Number.parseInt(c, 36)).join('')
    return `${country}${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${account}`
  })
}

/** Pieces that a hostile text may repeat to make the search slow. */
const HOSTILE = [
  'NO12 ',
  ' LC12AAAA',
  '4\u0301\u0327',
  '9 ',
  '9-',
  '4111.1111.1111.1112.',
  '9',
  '9\u{200B}',
  '\u{669}',
  '\u{1D7FF}',
  '\u{D800}',
]
const SIZE = 256 * 1024

test.each(HOSTILE)('256 KiB of %j take less than a second of CPU time', (piece) => {
  const text = `a${piece}`.concat(piece.repeat(SIZE / Buffer.byteLength(piece)))
  expect(cpuSeconds(() => holdsCardNumber(text))).toBeLessThan(1)
  expect(cpuSeconds(() => isCardNumber(text))).toBeLessThan(1)
})

function cpuSeconds(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1e6
}

test('replaces the decimal digits of every script by 0 to 9', () => {
  const characters = Array.from({ length: 0x11_0000 }, (_, point) => String.fromCodePoint(point))
  const digits = characters.join(' ').match(/\p{Nd}/gu) ?? []
  expect(digits.length).toBeGreaterThan(700)
  // Unicode encodes them in blocks of ten.
  expect(digits.map(plainDigits).join('')).toBe('0123456789'.repeat(digits.length / 10))
})

test.each([
  ['full-width', '\u{FF14}\u{FF11}', '41'],
  ['mathematical', '\u{1D7D2}\u{1D7CF}\u{1D7FF}', '419'],
  ['superscript and subscript', '⁴¹₁', '411'],
  ['circled', '④①⑩', '4110'],
  ['combining marks and keycaps', '4\u0301\u0327 1\u{FE0F}\u{20E3}', '4 1'],
  ['invisible characters', '4\u{200B}1\u{3164}1\u{E0001}', '411'],
  ['spaces and dashes', '4\u{A0}1\u{2009}1\u{2013}1\u{2212}1', '4 1 1-1-1'],
])('%s', (_, text, plain) => {
  expect(plainDigits(text)).toBe(plain)
})
