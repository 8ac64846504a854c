import { expect, it } from 'vitest'
import { firstDifference } from './difference.ts'

const ours = 'POST&https%3A%2F%2Fexample.com%2Fa&amount%3D10.42%26order_desc%3Da%2520b%26z%3D1'

it('finds no difference of equal texts', () => {
  expect(firstDifference(ours, ours)).toBe(undefined)
})

it('finds the character, the part and the parameter', () => {
  const theirs = ours.replace('a%2520b', 'a%2Bb')
  expect(firstDifference(ours, theirs)).toEqual({
    at: 69,
    part: 'parameters',
    parameter: 'order_desc',
    gateway: expect.objectContaining({ character: '5', after: '20b%26z%3D1' }),
    caller: expect.objectContaining({ character: 'B', after: 'b%26z%3D1' }),
  })
})

for (const [what, theirs, expected] of [
  ['the method', ours.replace('POST', 'post'), { at: 1, part: 'method' }],
  ['the URL', ours.replace('https', 'http'), { at: 10, part: 'url', caller: { character: '%' } }],
  ['the end of the shorter text', ours.slice(0, -1), { parameter: 'z', caller: { after: '' } }],
  ['a parameter too many', `${ours}%26zz%3D`, { parameter: 'z', gateway: { character: '' } }],
] as const) {
  it(`finds a difference in ${what}`, () => {
    expect(firstDifference(ours, theirs)).toMatchObject(expected)
  })
}

it('shows the position of a parameter whose name may be a card number', () => {
  const card = ours.replace('z%3D', '4111111111111111%3D')
  expect(firstDifference(card, card.slice(0, -1))?.parameter).toBe('parameter 3')
})
