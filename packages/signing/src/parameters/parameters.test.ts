import { describe, expect, it } from 'vitest'
import { caught } from '../../test/caught.ts'
import { gatherParameters, normalizeParameters } from './parameters.ts'

describe('normalizeParameters', () => {
  it('sorts by code unit, not by locale: destination-card-no comes before destination_card_...', () => {
    const parameters = [
      ['destination_card_recurring_payment_id', '1'],
      ['destination-card-no', '2'],
      ['b', '3'],
      ['B', '4'],
    ] as const
    expect(normalizeParameters(parameters)).toBe(
      'B=4&b=3&destination-card-no=2&destination_card_recurring_payment_id=1',
    )
  })

  it('sorts by name and then value, not by the joined text, in which "=" comes after "-" and digits', () => {
    const parameters = [
      ['a1', '1'],
      ['a-b', '2'],
      ['a', 'z'],
      ['a', 'y'],
    ] as const
    expect(normalizeParameters(parameters)).toBe('a=y&a=z&a-b=2&a1=1')
  })

  it('sorts after encoding, which puts "é" and "☃" before "z"', () => {
    const parameters = [
      ['z', ''],
      ['é', ''],
      ['☃', ''],
    ] as const
    expect(normalizeParameters(parameters)).toBe('%C3%A9=&%E2%98%83=&z=')
  })

  it('keeps duplicates', () => {
    const parameters = [
      ['a', '1'],
      ['a', '1'],
    ] as const
    expect(normalizeParameters(parameters)).toBe('a=1&a=1')
  })
})

describe('gatherParameters', () => {
  const header = [
    ['oauth_nonce', '12345678'],
    ['oauth_signature', 'c2ln'],
    ['x', '1'],
  ] as const

  it('gathers header, query and form without oauth_signature', () => {
    expect(gatherParameters(header, [['q', '2']], [['x', '1']])).toEqual([
      ['oauth_nonce', '12345678'],
      ['x', '1'],
      ['q', '2'],
      ['x', '1'],
    ])
  })

  it('counts an oauth_* parameter once if query and form repeat it', () => {
    const repeated = [
      ['oauth_nonce', '12345678'],
      ['oauth_signature', 'c2ln'],
    ] as const
    expect(gatherParameters(header, repeated, repeated)).toEqual([
      ['oauth_nonce', '12345678'],
      ['x', '1'],
    ])
  })

  it('refuses an oauth_* parameter that differs from the header or is not in it', async () => {
    for (const parameter of [
      ['oauth_nonce', '87654321'],
      ['oauth_signature', 'other'],
      ['oauth_token', ''],
    ] as const) {
      const expected = { code: 'parameters', message: expect.stringContaining(parameter[0]) }
      expect(await caught(() => gatherParameters(header, [], [parameter]))).toMatchObject(expected)
      expect(await caught(() => gatherParameters(header, [parameter], []))).toMatchObject(expected)
    }
  })
})
