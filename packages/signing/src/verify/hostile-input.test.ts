import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { form, gateway, key, NOW, received } from '../../test/gateway.ts'
import { baseStringUrl } from '../parameters/base-string.ts'
import { isForm, parseForm } from '../parameters/form.ts'
import { parseAuthorization } from '../parameters/header.ts'
import { verify } from './verify.ts'

const SIZE = 256 * 1024
const SHORT = 16_000

/** Far longer than linear work on a slow machine, far shorter than quadratic work on a fast one. */
const BOUND_MS = 20_000

/** Texts of a length that make a careless regular expression try every split. */
const HOSTILE: Readonly<Record<string, (length: number) => string>> = {
  'one letter': (length) => 'a'.repeat(length),
  spaces: (length) => ' '.repeat(length),
  'commas and spaces': (length) => ', '.repeat(length / 2),
  'a value without an end': (length) => `a="${'b'.repeat(length)}`,
  'a value and spaces': (length) => `a="b"${' '.repeat(length)}x`,
  'many pairs': (length) => 'a="1",'.repeat(length / 6),
  ampersands: (length) => '&'.repeat(length),
  pluses: (length) => '+'.repeat(length),
  'percent signs': (length) => '%'.repeat(length),
  'dot segments': (length) => '/..'.repeat(length / 3),
  'almost dot segments': (length) => '/%2e%2ex'.repeat(length / 8),
  'other letters': (length) => 'é'.repeat(length),
  'letters of many scripts': (length) => 'ضघ字ж'.repeat(length / 4),
}

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'an Authorization header': (text) => parseAuthorization(`OAuth ${text}`),
  'a scheme': (text) => parseAuthorization(text),
  'a form': (text) => parseForm(text),
  'a URL': (text) => baseStringUrl(text),
  'the host of a URL': (text) => baseStringUrl(`https://${text}`),
  'a host before a fragment and a line end': (text) => baseStringUrl(`https://${text}#\n`),
  'the path of a URL': (text) => baseStringUrl(`https://example.com/${text}`),
  'a content type': (text) => isForm(`${text}application/x-www-form-urlencoded${text}`),
}

describe('input of unknown callers takes linear time', () => {
  for (const [what, read] of Object.entries(READERS)) {
    it(`as ${what}`, () => {
      for (const make of Object.values(HOSTILE)) {
        // Below and above the maximum of headers and URLs.
        const [short, long] = [make(SHORT), make(SIZE)]
        expect(millisecondsOf(() => read(short), SIZE / SHORT) < BOUND_MS).toBe(true)
        expect(millisecondsOf(() => read(long), 1) < BOUND_MS).toBe(true)
      }
    })
  }

  it('as any request, whatever its content and length', async () => {
    const kinds = fc.constantFrom(...Object.values(HOSTILE))
    await fc.assert(
      fc.asyncProperty(kinds, kinds, kinds, async (inHeader, inUrl, inBody) => {
        const request = {
          ...received({ ...form, body: inBody(SIZE) }, `OAuth ${inHeader(16_000)}`),
          url: `https://gate.example.com/${inUrl(16_000)}`,
        }
        const start = performance.now()
        expect(await verify(request, gateway({ keys: [key] }, NOW))).toMatchObject({ ok: false })
        expect(performance.now() - start < BOUND_MS).toBe(true)
      }),
      { numRuns: 30 },
    )
  })
})

function millisecondsOf(read: () => unknown, times: number): number {
  const start = performance.now()
  for (let done = 0; done < times; done += 1) {
    try {
      read()
    } catch {
      // A refusal counts like a result: only the time matters.
    }
  }
  return performance.now() - start
}
