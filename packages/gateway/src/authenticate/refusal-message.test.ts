import { describe, expect, test } from 'vitest'
import { refusalMessage } from './refusal-message.ts'

/** A base string of one parameter, and then another. */
const refused = (baseString?: string) =>
  ({ ok: false, step: 'signature', reason: 'why', ...(baseString && { baseString }) }) as const

describe('in the sandbox', () => {
  test('a refusal names the step, why, and the base string', () => {
    expect(refusalMessage(refused('POST&x&y'), 'r-1', true)).toBe(
      `You are not authorised to perform this request.
Request id: r-1
Step that failed: signature
Reason: why
Base string that the gateway built:
POST&x&y
`,
    )
    expect(refusalMessage(refused(), 'r-1', true)).not.toContain('Base string')
  })

  test('the base string is shown without what may be of a card', () => {
    const shown = refusalMessage(refused('POST&x&cvv2%3D123%26order_desc%3DTea'), 'r-1', true)
    expect(shown).toContain('POST&x&cvv2%3D***%26order_desc%3DTea\n')
  })
})

test('in production a refusal is a request id', () => {
  expect(refusalMessage(refused('POST&x&y'), 'r-1', false)).toBe(
    'You are not authorised to perform this request.\nRequest id: r-1\n',
  )
})
