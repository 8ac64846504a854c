import type { Refused } from '@counterfoil/signing'
import { describe, expect, test } from 'vitest'
import { refusalMessage } from './refusal-message.ts'

const NEXT_STEP =
  'Compare this base string with yours. If both are equal, the key is wrong: it may hold a line end, belong to ' +
  'another login or environment, or lack the "&" after it (HMAC-SHA1).'

/** The text of a refusal in the sandbox, of a request whose mistake is unknown. */
const explain = (change: Partial<Refused> = {}) => {
  const why = { ok: false, reason: 'why', expected: 'why' } as const
  const refused = { ...why, step: 'signature', code: 'signature-mismatch', ...change } as const
  return refusalMessage('r-1', { refused, diagnosis: { outcome: 'unknown' } })
}

test('a refusal in the sandbox names the step, the reason and the base string', () => {
  expect(explain({ baseString: 'POST&x&y' })).toBe(
    `You are not authorised to perform this request.
Mistake: none that the gateway knows leads to this signature.
Request id: r-1
Step that failed: signature
Reason: why
Base string that the gateway built:
POST&x&y
${NEXT_STEP}
`,
  )
  const replayed = explain({ baseString: 'POST&x&y', step: 'nonce', code: 'nonce-replayed' })
  expect(replayed).toMatch(/\nPOST&x&y\n$/)
  expect(explain({ code: 'signature-key-length' })).not.toMatch(/base string/i)
})

/** Returns what a refusal shows of the base string of a URL and parameters. */
const shownOf = (url: string, parameters: readonly string[]) => {
  const baseString = ['POST', url, parameters.join('%26')].join('&')
  const message = explain({ baseString })
  const [, left, shown = ''] =
    /Base string that the gateway built(?:, without its last (\d+) characters)?:\n(.*)\nCompare [^\n]*\n$/s.exec(
      message,
    ) ?? []
  return { message, left: Number(left ?? 0), shown, length: baseString.length }
}

describe('a base string of more than 4 KiB', () => {
  const parameters = Array.from({ length: 2000 }, (_, at) => `order_desc%3D${at}`)

  test('is shown up to the last parameter that fits, and the rest is counted', () => {
    const { shown, left, length } = shownOf('x', parameters)
    expect(shown).toBe(`POST&x&${parameters.slice(0, shown.split('%26').length).join('%26')}`)
    expect(shown.length).toBeGreaterThan(4000)
    expect(shown.length).toBeLessThanOrEqual(4096)
    expect(shown.length + left).toBe(length)
  })

  test('never ends within a card number', () => {
    for (let filler = 3900; filler < 4100; filler += 1) {
      const long = `order_desc%3D${'x'.repeat(filler)}`
      const url = `${'x'.repeat(filler)}%2F4111111111111111%26a`
      expect(shownOf(url, ['a']).shown).not.toContain('411')
      for (const name of ['order_desc', 'cvv2', 'pan']) {
        expect(shownOf('x', [long, `${name}%3D4111111111111111`]).shown).not.toContain('411')
      }
    }
  })

  test('is shown without a parameter or a URL that alone is longer', () => {
    const long = '4'.repeat(5000)
    expect(shownOf('x', [long]).shown).toBe('POST&x&')
    expect(shownOf(long, ['a']).shown).toBe('POST&')
    expect(shownOf(`a%26${long}`, ['a']).shown).toBe('POST&')
  })
})

test('truncates a long reason, and shows no part of a card number', () => {
  const reasonOf = (reason: string) => {
    const message = explain({ reason })
    return /Reason: (.*)\n/s.exec(message)?.[1] ?? ''
  }
  expect(reasonOf('got 4111111111111111')).toBe('got ****************')
  for (let filler = 470; filler <= 500; filler += 1) {
    const reason = reasonOf(`${'x'.repeat(filler)} 4111 1111 1111 1111 and more`)
    expect(reason).not.toContain('4')
    expect(reason.length).toBeLessThanOrEqual(501)
  }
})
