import { expect, test } from 'vitest'
import type { FieldKind } from './operation.ts'
import { VALUE_CHECKS } from './value-checks.ts'

/** For each kind, values that it accepts and values that it refuses. */
const VALUES: Readonly<Record<FieldKind, readonly [taken: string[], refused: string[]]>> = {
  text: [
    [
      ' ',
      "a+b %&=~'",
      'Оплата',
      'ค่าเช่า',
      '\u{1F4B8}',
      'line\r\nbreak\tand tab',
      '<b>',
      '4111111111111112',
      '1795216694000',
      '+37120000000',
      'no cvv2, thanks',
    ],
    [
      '4111111111111111',
      'for 4111 1111 1111 1111',
      'x378282246310005y',
      '4111.1111.1111.1111',
      '\u{FF14}\u{FF11}\u{FF11}\u{FF11}111111111111',
      '4111\u{200B}111111111111',
      'cvv2=739',
      'o1|cvv2=739',
      '{"credit_card_number":"x","cvv2":"739"}',
      '{\\"cvv2\\": 7}',
      'nul\0',
      'escape \u{1B}[31m',
      '\u{85}',
    ],
  ],
  phone: [
    ['+49 1512 3456789', '+4915123456787', '4222222222222', '(020) 7946-0000', '+37120000000'],
    ['4111111111111111', '4111 1111 1111 1111', '+4111-1111-1111-1111', 'cvv2: 739', '1\0'],
  ],
  identifier: [
    [
      '902B4FF5',
      'DK5000400440116243',
      '20261122103000',
      '4111111111111112',
      '9002000000000005',
      '6304000000000000000',
      '2026112100000005',
    ],
    [
      '4111111111111111',
      'order-378282246310005',
      '1-4111111111111111',
      '4111-1111-1111-1111',
      '9001000000000000',
      '2223000048400011',
      '36000000000008',
      '\u{664}\u{661}\u{661}\u{661}111111111111',
      'o1&cvv2=739',
      'o1|cvv2=739',
      'two\nlines',
      'tab\t',
    ],
  ],
  'card-id': [
    ['0', '17', '9223372036854775807'],
    ['9223372036854775808', '99999999999999999999', '4111111111111111', '-1', '1.5', 'x'],
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
    [
      '1.1.1',
      '1.1.1.256',
      '01.1.1.1',
      '1.1.1.1.',
      '1.1.1.1.1',
      '2001:db8:::7',
      '1.1.1.1:80',
      '4111:1111:1111:1111::',
      '::4111:1111:1111:1111',
      '2001:db8:0:4111:1111:1111:1111:0',
    ],
  ],
  url: [
    ['http://a', 'https://shop.example/back?x=1&y=%20#z', 'HTTPS://shop.example'],
    [
      'https://shop.example/?card=4111111111111111',
      'https://shop.example/?cvv2=739',
      'shop.example',
      'ftp://shop.example',
      'javascript:alert(1)',
      'https://',
      'https://a b/',
    ],
  ],
}

test.each(Object.entries(VALUES))('checks values of kind %s', (kind, [taken, refused]) => {
  const accepts = (value: string) => {
    return VALUE_CHECKS[kind as FieldKind].every((check) => check.accepts(value))
  }
  expect(taken.filter((value) => !accepts(value))).toEqual([])
  expect(refused.filter(accepts)).toEqual([])
})

test.each(['9 ', 'cvv2 ', '\u{FF14}'])('64 KiB of %j take linear time', (piece) => {
  const text = piece.repeat(2 ** 16 / Buffer.byteLength(piece))
  const before = process.threadCpuUsage()
  expect(VALUE_CHECKS.text.map((check) => check.accepts(text))).toEqual([true, true, true])
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(0.5)
})
