/** Card numbers. */
export const NUMBERS = [
  '4111111111111111',
  '378282246310005',
  '5555555555554444',
  '2223003122003222',
]

/** Texts that hold a card number. */
export const IN_TEXT = [
  ...NUMBERS,
  'card 4111-1111-1111-1111.',
  'x4111 1111 1111 1111y',
  '12 4111111111111111 5',
  '1 2 3 4 4111 1111 1111 1111 5 6',
  '6304 0000 0000 0000',
  '4222222222222',
  '4111  1111  1111  1111',
  'card 1234.4111.1111.1111.1111',
  '3600.000000.0008',
  '4111\t1111\t1111\t1111',
  '\u{664}'.concat('\u{661}'.repeat(15)),
  '\u{FF14}111 1111\u{A0}1111 1111',
  '4\u0301111\u{200B}111111111111',
  // Marks that the engine's Unicode does not know yet.
  '4\u{897}1\u{1ACF}1\u{1AEB}1\u{10D69}1\u{113B8}11111111111',
]

/** Identifiers that are a card number. */
export const IN_IDENTIFIERS = [
  ...NUMBERS,
  'ORD4111111111111111',
  '4111111111111111x',
  '4222222222222',
  '36000000000008',
  '4111-1111-1111-1111',
  '600000000000000007',
  '6200000000000000000',
  '\u{664}'.concat('\u{661}'.repeat(15)),
]

/** Hexadecimal ids with the digits of a card number. */
const HEXADECIMAL = [
  'ab4111111111111111cdef01',
  '4111111111111111ABCDEF0123456789',
  'abcd4111-1111-4111-8111-1111abcdef01',
]

/** Texts without a card number. */
export const NOT_IN_TEXT = [
  ...HEXADECIMAL.map((id) => `ref ${id}, thanks`),
  '4111111111111112',
  '4111     1111  1111  1111',
  '411111******1111',
  '41111111111111111111',
  '0004111111111111111',
  '1111111111111117',
  '20261120103000123',
  '9223372036854775807',
  '0012345678901234567',
  '+49 30 1234 5678 901',
  '1 '.repeat(3_000),
]

/** Identifiers that are no card number. */
export const NOT_IN_IDENTIFIERS = [
  ...HEXADECIMAL,
  'tx4111111111111111z',
  '6304000000000000000',
  '4111111111111111000',
  '20261122103000',
  '1795216694000',
]
