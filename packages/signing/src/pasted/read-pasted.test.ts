import { describe, expect, it } from 'vitest'
import { SigningError } from '../refusals/signing-error.ts'
import { splitWords } from './parse-curl.ts'
import { readPasted } from './read-pasted.ts'

describe('readPasted', () => {
  it('encodes the text of --data-urlencode', async () => {
    const pasted = await readPasted("curl https://gate.example.com/a --data-urlencode 'a=x y!'")
    expect(pasted.body).toBe('a=x%20y%21')
  })

  // A search that begins again at each space would take hours.
  it('reads a header with a long row of spaces', async () => {
    const spaces = ' '.repeat(2 ** 21)
    const pasted = await readPasted(`-H 'Authorization: ${spaces}OAuth${spaces}a="b"'`)
    expect(pasted.authorization?.replace(spaces, ' ')).toBe('OAuth a="b"')
    await expect(readPasted(`'authorization:${spaces}x`)).rejects.toThrow('begins with')
  })

  for (const text of ['a=\ud800', "$'a=\\ud800'"]) {
    it(`refuses half of a surrogate pair with an error of this package: ${JSON.stringify(text)}`, async () => {
      const line = `curl https://gate.example.com/a --data-urlencode ${text}`
      await expect(readPasted(line)).rejects.toBeInstanceOf(SigningError)
    })
  }
})

describe('splitWords', () => {
  for (const [line, words] of [
    ['a  b\tc', ['a', 'b', 'c']],
    [`a'b c'"d e"`, ['ab cd e']],
    ['a\\ b \\\n c', ['a b', 'c']],
    [`"a\\"b" '' $'\\x41\\n\\u042f\\''`, ['a"b', '', "A\nЯ'"]],
    ['a "b', undefined],
    ["$'a", undefined],
  ] as const) {
    it(`splits ${JSON.stringify(line)} as a shell does`, () =>
      expect(splitWords(line)).toEqual(words))
  }
})
