import { expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { BodyMemory } from './read-body.ts'

const { bodiesBytesMax, smallBodyBytesMax } = LIMITS
const QUARTER = bodiesBytesMax / 4

test('one address gets its share of the memory for bodies, and leaves the rest to others', () => {
  const memory = new BodyMemory({ max: 8, perAddressMax: 2 })
  expect(memory.change('a', 0, QUARTER)).toBe(true)
  expect(memory.change('a', 0, smallBodyBytesMax + 1)).toBe(false)
  expect(memory.change('a', 0, smallBodyBytesMax)).toBe(true)
  for (const other of ['b', 'c', 'd']) expect(memory.change(other, 0, QUARTER)).toBe(true)
  expect(memory.change('e', 0, smallBodyBytesMax + 1)).toBe(false)
})

test('an address gets its share again when its bodies end', () => {
  const memory = new BodyMemory({ max: 8, perAddressMax: 2 })
  for (let times = 0; times < 8; times += 1) {
    expect(memory.change('a', 0, QUARTER / 2)).toBe(true)
    expect(memory.change('a', QUARTER / 2, QUARTER)).toBe(true)
    expect(memory.change('a', 0, QUARTER)).toBe(false)
    memory.change('a', QUARTER, 0)
  }
})

test('all callers behind a proxy share all the memory', () => {
  const memory = new BodyMemory({ max: 8, perAddressMax: 8 })
  expect(memory.change('proxy', 0, bodiesBytesMax)).toBe(true)
  expect(memory.change('proxy', 0, smallBodyBytesMax + 1)).toBe(false)
})
