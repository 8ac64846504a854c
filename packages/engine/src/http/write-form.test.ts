import { expect, test } from 'vitest'
import { writeForm } from './write-form.ts'

/** The limits of a ClickHouse server, by its default settings. */
const [FIELDS_MAX, FIELD_BYTES_MAX] = [1000, 128 * 1024]

test.each([
  ['a character of one byte', 'x', 100],
  ['a character of two bytes', 'é', 30],
  ['a character of four bytes', '😀', 15],
])('a long query of %s has fields that a server takes', (_, character, millions) => {
  const sql = character.repeat(millions * 1_000_000)
  const { contentType, body } = writeForm({ sql, parameters: {} })
  const [, boundary = ''] = /boundary=(.*)/.exec(contentType) ?? []
  const values = body.split(`--${boundary}`).slice(1, -1)
  expect(values.length).toBeLessThan(FIELDS_MAX)
  const pieces = values.map((field) => field.slice(field.indexOf('\r\n\r\n') + 4, -2))
  expect(Math.max(...pieces.map((piece) => Buffer.byteLength(piece)))).toBeLessThan(FIELD_BYTES_MAX)
  expect(pieces.join('') === sql).toBe(true)
})
