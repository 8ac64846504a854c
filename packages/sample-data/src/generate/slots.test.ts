import { expect, test } from 'vitest'
import { BLOCK_ROOTS, BLOCK_ROWS, type Kind, SLOT_TABLE } from './slots.ts'

test('a block has its roots first, and every other slot follows from a root of the right fate', () => {
  expect(SLOT_TABLE).toHaveLength(2 * BLOCK_ROWS)
  const wanted: Partial<Record<Kind, readonly [Kind, string]>> = {
    refund: ['sale', 'approved'],
    chargeback: ['sale', 'approved'],
    retrieval: ['sale', 'approved'],
    dispute: ['sale', 'approved'],
    fraud: ['sale', 'approved'],
    retry: ['sale', 'declined'],
    double: ['sale', 'open'],
    capture: ['preauth', 'approved'],
    cancel: ['preauth', 'approved'],
  }
  for (const [number, slot] of SLOT_TABLE.entries()) {
    const at = number % BLOCK_ROWS
    expect(slot.root === at).toBe(at < BLOCK_ROOTS)
    const root = SLOT_TABLE[number - at + slot.root]
    const expected = wanted[slot.kind] ?? [slot.kind, slot.fate]
    expect([root?.kind, root?.fate]).toEqual(expected)
  }
})

test('a root is never refunded or captured beyond its amount', () => {
  const parts = new Map<string, string[]>()
  for (const [number, { kind, part, root }] of SLOT_TABLE.entries()) {
    if (kind !== 'refund' && kind !== 'capture') continue
    const key = `${Math.floor(number / BLOCK_ROWS)}/${root}`
    parts.set(key, [...(parts.get(key) ?? []), part].toSorted())
  }
  const ways = new Set([...parts.values()].map((some) => some.join(', ')))
  const three = 'first of three, second of three, third of three'
  expect(ways).toEqual(new Set(['full', three, 'most, rest']))
})
