import { expect, test } from 'vitest'
import type { FieldKind } from './operation.ts'
import { VALUE_CHECKS } from './value-checks.ts'

/** For each kind what it takes, and what it does not. */
const VALUES: Readonly<Record<FieldKind, readonly [taken: string[], refused: string[]]>> = {
  text: [
    [
      ' ',
      "a+b %&=~'",
      'Оплата',
      'ค่าเช่า',
      '\u{1F4B8}',
      'line\r\nbreak',
      '<b>',
      '4111111111111112',
      '1795216694000',
      '4111 1111 and 1111 1111',
      '+37120000000',
    ],
    [
      '4111111111111111',
      'for 4111 1111 1111 1111',
      '4111-1111-1111-1111, thanks',
      'x378282246310005y',
      '12 4111 1111 1111 1111 12',
      '6304000000000000000',
    ],
  ],
  identifier: [
    ['902B4FF5', '4111111111111112', '9001000000000000', '6304000000000000000'],
    ['4111111111111111', 'order-378282246310005', '1-4111111111111111'],
  ],
  digits: [
    ['0', '007', '12345678901234567890'],
    ['-1', '1.0', '1e3', ' 1', '1\n', '\u{661}', '\u{FF11}'],
  ],
  card: [
    ['501800000009', '378282246310005', '4111111111111111', '6304000000000000000'],
    ['4111111111111112', '1411111111111111', '4111 1111 1111 1111', '4111-1111-1111-1111'],
  ],
  cvv: [
    ['000', '1234'],
    ['12a', '12 ', '-12'],
  ],
  amount: [
    ['1', '10.42', '0.001', '1234567.89', '10.00', '0.10'],
    ['0', '0.00', '-1', '+1', '10,42', '1e3', '.5', '5.', '007', '1 000', '0x10', '10.4.2', '1\n'],
  ],
  currency: [
    ['EUR', 'JPY'],
    ['eur', '978', 'EÜR', 'EU '],
  ],
  month: [
    ['01', '09', '10', '12'],
    ['00', '13', '1', '1 ', '-1'],
  ],
  year: [
    ['2000', '2031', '2099'],
    ['1999', '2100', '20 1', '0031'],
  ],
  birthday: [
    ['053190', '05311990', '12312000'],
    ['310590', '00011990', '13011990', '05001990', '05321990', '0531199', '5/31/90'],
  ],
  boolean: [
    ['true', 'false'],
    ['TRUE', '1', 'yes ', 'falsy'],
  ],
  country: [
    ['LV', 'TH'],
    ['lv', 'L1'],
  ],
  email: [
    ['a@b', 'anna.ozola+x@shop.example', 'анна@пример'],
    ['anna', '@b', 'a@', 'a@b@c', 'a b@c'],
  ],
  ip: [
    ['1.1.1.1', '255.255.255.255', '2001:db8::7', '::ffff:203.0.113.7', '2001:DB8:0:0:0:0:0:1'],
    ['1.1.1', '1.1.1.256', '01.1.1.1', '1.1.1.1.', '1.1.1.1.1', '2001:db8:::7', '1.1.1.1:80'],
  ],
  url: [
    ['http://a', 'https://shop.example/back?x=1&y=%20#z', 'HTTPS://shop.example'],
    ['shop.example', 'ftp://shop.example', 'javascript:alert(1)', 'https://', 'https://a b/'],
  ],
}

test.each(Object.entries(VALUES))('a value of kind %s', (kind, [taken, refused]) => {
  const takes = (value: string) => {
    return VALUE_CHECKS[kind as FieldKind].every((check) => check.takes(value))
  }
  expect(taken.filter((value) => !takes(value))).toEqual([])
  expect(refused.filter(takes)).toEqual([])
})
