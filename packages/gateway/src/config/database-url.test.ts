import { expect, test } from 'vitest'
import { postgresUrl } from './database-url.ts'

test.each([
  'postgres://gateway@db.example.com/counterfoil',
  'postgresql://gateway@[::1]:5433/counterfoil?sslmode=disable',
  'postgres://my%40user@10.0.0.7:5432/my%2Fdatabase?sslmode=verify-full',
])('takes %s', (url) => {
  expect(postgresUrl.parse(url)).toBe(url)
})

test.each([
  ['mysql://gateway@db/counterfoil', 'expected a URL such as "postgres://user@host:5432/database"'],
  ['postgres://db/counterfoil', 'expected a URL such as'],
  ['postgres://gateway@db', 'expected a URL such as'],
  ['postgres://gateway@db/', 'expected a URL such as'],
  ['postgres://gateway@db/a/b', 'expected a URL such as'],
  ['postgres://gateway@db/a#b', 'expected a URL such as'],
  ['db:5432', 'expected a URL such as'],
  ['postgres://gateway:secret@db/counterfoil', 'expected no password'],
  ['postgres://gateway@db/counterfoil?sslmode=require', 'expected no query, or "?sslmode=verify'],
  ['postgres://gateway@db/counterfoil?password=secret', 'expected no query'],
])('refuses %s', (url, expected) => {
  const { error } = postgresUrl.safeParse(url)
  expect(error?.issues).toHaveLength(1)
  expect(error?.issues[0]?.message).toContain(expected)
  expect(error?.issues[0]?.message).not.toContain('secret')
})
