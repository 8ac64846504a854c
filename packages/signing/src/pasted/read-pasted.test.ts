import { describe, expect, it } from 'vitest'
import { SigningError } from '../refusals/signing-error.ts'
import { readPasted } from './read-pasted.ts'

describe('readPasted', () => {
  it('encodes the text of --data-urlencode', async () => {
    const pasted = await readPasted("curl https://gate.example.com/a --data-urlencode 'a=x y!'")
    expect(pasted.body).toBe('a=x%20y%21')
  })

  for (const text of ['a=\ud800', "$'a=\\ud800'"]) {
    it(`refuses half of a surrogate pair with an error of this package: ${JSON.stringify(text)}`, async () => {
      const line = `curl https://gate.example.com/a --data-urlencode ${text}`
      await expect(readPasted(line)).rejects.toBeInstanceOf(SigningError)
    })
  }
})
