import { expect, test } from 'vitest'
import { literal, literals } from './literals.ts'
import { settingsClause } from './settings.ts'

test('writes settings as a clause, with texts as literals', () => {
  const clause = settingsClause({ a: 1, b: "it's", c: '\\' })
  expect(clause).toBe("SETTINGS a = 1, b = 'it\\'s', c = '\\\\'")
})

test('a literal can hold any text, and escapes control characters', () => {
  expect(literal("'\\\0\r\n\x7fé")).toBe(String.raw`'\'\\\x00\x0d\x0a\x7fé'`)
  expect(literals(['a', "b'"])).toBe(String.raw`['a', 'b\'']`)
})
