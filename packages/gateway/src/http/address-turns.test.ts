import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AddressTurns } from './address-turns.ts'

test('an address begins a few requests in each round of the event loop, in order', async () => {
  const turns = new AddressTurns()
  const begun: string[] = []
  for (let number = 0; number < 20; number += 1) {
    turns.add('192.0.2.1', () => begun.push(`flood ${number}`))
  }
  turns.add('192.0.2.2', () => begun.push('other'))
  expect(begun).toEqual([])
  await setImmediate()
  expect(begun).toContain('other')
  expect(begun.length).toBeLessThan(10)
  for (let round = 0; round < 20; round += 1) await setImmediate()
  const flood = begun.filter((name) => name !== 'other')
  expect(flood).toEqual(Array.from({ length: 20 }, (_, number) => `flood ${number}`))
})

test('a request may add another one', async () => {
  const turns = new AddressTurns()
  const begun: string[] = []
  turns.add('192.0.2.1', () => {
    begun.push('first')
    turns.add('192.0.2.1', () => begun.push('second'))
  })
  for (let round = 0; round < 5; round += 1) await setImmediate()
  expect(begun).toEqual(['first', 'second'])
})
