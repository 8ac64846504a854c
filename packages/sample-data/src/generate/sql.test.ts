import { expect, test } from 'vitest'
import { pick, selectLayered } from './sql.ts'

test('puts a column that uses another one into a query around it', () => {
  const made = { c: "concat(b, ' a b c ')", b: 'f(a)', d: 'n' }
  expect(selectLayered('source', ['n', 'a', 'unused'], made, ['c', 'd'])).toBe(
    "SELECT d,\nconcat(b, ' a b c ') AS c FROM (SELECT f(a) AS b,\nn AS d FROM (source))",
  )
})

test('a table holds numbers, texts and NULL', () => {
  expect(pick([1, "it's \\", null], 'at')).toBe("[1,'it\\'s \\\\',NULL][at + 1]")
})
