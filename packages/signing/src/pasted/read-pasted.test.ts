import { expect, test } from 'vitest'
import { SigningError } from '../signing-error.ts'
import { readPasted } from './read-pasted.ts'

test('encodes the text of --data-urlencode', async () => {
  const pasted = await readPasted("curl https://gate.example.com/a --data-urlencode 'a=x y!'")
  expect(pasted.body).toBe('a=x%20y%21')
})

test.each([
  'curl https://gate.example.com/a --data-urlencode a=\ud800',
  "curl https://gate.example.com/a --data-urlencode $'a=\\ud800'",
])('refuses half of a surrogate pair with an error of this package: %j', async (line) => {
  await expect(readPasted(line)).rejects.toBeInstanceOf(SigningError)
})
