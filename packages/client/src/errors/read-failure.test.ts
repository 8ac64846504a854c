import { expect, test } from 'vitest'
import { hasTexts } from './read-failure.ts'

test('looks at the named members only, however many an answer has', () => {
  let lists = 0
  const answer = new Proxy(
    { login: 'shop' },
    {
      ownKeys: (target) => {
        lists += 1
        return Reflect.ownKeys(target)
      },
    },
  )
  expect(hasTexts(answer, ['login'])).toBe(true)
  expect(hasTexts(answer, ['toString'])).toBe(false)
  expect(hasTexts('a text', ['0'])).toBe(false)
  expect(lists).toBe(0)
})
