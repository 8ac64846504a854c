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

it('finds a difference in the method and in the URL', () => {
  expect(firstDifference(ours, ours.replace('POST', 'post'))).toMatchObject({
    at: 1,
    part: 'method',
    gateway: { before: '', character: 'P' },
    caller: { before: '', character: 'p' },
  })
  expect(firstDifference(ours, ours.replace('https', 'http'))).toMatchObject({
    at: 10,
    part: 'url',
    gateway: { character: 's' },
    caller: { character: '%' },
  })
})

it('finds the end of the shorter text', () => {
  expect(firstDifference(ours, ours.slice(0, -1))).toMatchObject({
    parameter: 'z',
    gateway: { character: '1', after: '' },
    caller: { character: '', after: '' },
  })
  expect(firstDifference(ours, `${ours}%26zz%3D`)).toMatchObject({
    parameter: 'z',
    gateway: { character: '' },
    caller: { character: '%' },
  })
})

it('shows the position of a parameter whose name may be a card number', () => {
  const card = ours.replace('z%3D', '4111111111111111%3D')
  expect(firstDifference(card, card.slice(0, -1))?.parameter).toBe('parameter 3')
})
