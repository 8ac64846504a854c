import { percentEncode } from '@counterfoil/signing'
import { describe, expect, test } from 'vitest'
import { refusalMessage } from './refusal-message.ts'

/** A base string of one parameter, and then another. */
const baseOf = (name: string, value: string) => {
  const parameters = `${percentEncode(name)}=${percentEncode(value)}&z=1`
  return `POST&http%3A%2F%2Fgateway%2Fpath&${percentEncode(parameters)}`
}

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

  test.each([
    'credit_card_number',
    'destination-card-no',
    'sending-card-number',
    'card_number',
    'cardnumber',
    'CARD-NUMBER',
    'cvv',
    'cvv2',
  ])('the value of %s is masked', (name) => {
    const message = refusalMessage(refused(baseOf(name, '4111 1111')), 'r-1', true)
    expect(message).not.toContain('4111')
    expect(message).toContain(`${percentEncode(percentEncode(name))}%3D${'*'.repeat(13)}%26z%3D1\n`)
  })

  test('other values are shown, and so are all before and after a card', () => {
    const message = refusalMessage(refused(baseOf('order_desc', 'cvv=1')), 'r-1', true)
    expect(message).toContain('order_desc%3Dcvv%253D1%26z%3D1')
    const twice = baseOf('a', 'b').replace('z%3D1', 'cvv2%3D123%26cvv2%3D456%26z%3D1')
    expect(refusalMessage(refused(twice), 'r-1', true)).toContain(
      'a%3Db%26cvv2%3D***%26cvv2%3D***%26z%3D1',
    )
  })
})

test('in production a refusal is a request id', () => {
  expect(refusalMessage(refused('POST&x&y'), 'r-1', false)).toBe(
    'You are not authorised to perform this request.\nRequest id: r-1\n',
  )
})
