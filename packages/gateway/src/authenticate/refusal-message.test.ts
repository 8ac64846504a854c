import { describe, expect, test } from 'vitest'
import { type Explanation, refusalMessage } from './refusal-message.ts'

const NEXT_STEP =
  'Compare this base string with yours. If both are equal, the key is wrong: it may hold a line end, belong to ' +
  'another login or environment, or lack the "&" after it (HMAC-SHA1).'

const WITHOUT = 'Mistake: none that the gateway knows leads to this signature.'

/** The text of a refusal in the sandbox, of a request whose mistake is unknown. */
const explain = (refused: Explanation['refused']) => {
  return refusalMessage('r-1', { refused, diagnosis: { outcome: 'unknown' } })
}

/** A refusal at the step `signature`. */
const refused = (baseString?: string) =>
  ({
    ok: false,
    step: 'signature',
    code: 'signature-mismatch',
    reason: 'why',
    expected: 'why',
    ...(baseString && { baseString }),
  }) as const

describe('in the sandbox', () => {
  test('a refusal names the step, the reason and the base string', () => {
    expect(explain(refused('POST&x&y'))).toBe(
      `You are not authorised to perform this request.
${WITHOUT}
Request id: r-1
Step that failed: signature
Reason: why
Base string that the gateway built:
POST&x&y
${NEXT_STEP}
`,
    )
    const replayed = { ...refused('POST&x&y'), step: 'nonce', code: 'nonce-replayed' } as const
    expect(explain(replayed)).toMatch(/\nPOST&x&y\n$/)
    const shorter = { ...refused(), code: 'signature-key-length' } as const
    expect(explain(shorter)).not.toMatch(/base string/i)
  })
})

/** Returns what a refusal shows of the base string of a URL and parameters. */
const shownOf = (url: string, parameters: readonly string[]) => {
  const baseString = ['POST', url, parameters.join('%26')].join('&')
  const message = explain(refused(baseString))
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
      for (const card of [
        'order_desc%3D4111111111111111',
        'cvv2%3D4111',
        'pan%3D4111111111111111',
      ]) {
        expect(shownOf('x', [long, card]).shown).not.toContain('411')
      }
      expect(shownOf(`${'x'.repeat(filler)}%2F4111111111111111%26a`, ['a']).shown).not.toContain(
        '411',
      )
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
    const message = explain({ ...refused(), reason })
    return /Reason: (.*)\n/s.exec(message)?.[1] ?? ''
  }
  expect(reasonOf('got 4111111111111111')).toBe('got ****************')
  for (let filler = 470; filler <= 500; filler += 1) {
    const reason = reasonOf(`${'x'.repeat(filler)} 4111 1111 1111 1111 and more`)
    expect(reason).not.toContain('4')
    expect(reason.length).toBeLessThanOrEqual(501)
  }
})
