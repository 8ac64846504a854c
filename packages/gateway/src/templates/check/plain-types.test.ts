import { expect, test } from 'vitest'
import { isPlainType } from './plain-types.ts'

test.each([
  'Decimal(38, 3)',
  'Array(Tuple(a UInt8, b Nullable(String)))',
  "DateTime('UTC')",
  "Nullable(DateTime64(3, 'Europe/Berlin'))",
  "Map(String, DateTime64(3, 'Etc/GMT+5'))",
])('accepts %s', (text) => {
  expect(isPlainType(text)).toBe(true)
})

test.each([
  "DateTime('file:/etc/hostname')",
  "DateTime('Nowhere/Land')",
  "DateTime(x'66')",
  "DateTime(X'66')",
  "DateTime(b'01100110')",
  'DateTime($$UTC$$)',
  'DateTime("UTC")',
  'DateTime(`UTC`)',
  String.raw`DateTime('U\x54C')`,
  '`DateTime`(3)',
  "Enum8('a' = 1)",
  'DateTime(‘UTC’)',
  'DateTime(\0)',
])('refuses %s', (text) => {
  expect(isPlainType(text)).toBe(false)
})
