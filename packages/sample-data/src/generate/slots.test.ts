import { expect, test } from 'vitest'
import { BLOCK_ROOTS, BLOCK_ROWS, type Kind, KINDS, SLOT_TABLE } from './slots.ts'

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

test('a stage of a complaint comes after the earlier stages', () => {
  const stages = new Map<string, string[]>()
  for (const [number, { kind, stage, root }] of SLOT_TABLE.entries()) {
    if (kind !== 'chargeback' && kind !== 'dispute') continue
    const key = `${kind} ${Math.floor(number / BLOCK_ROWS)}/${root}`
    stages.set(key, [...(stages.get(key) ?? []), stage])
  }
  const ways = [...stages].map(([key, some]) => `${key.split(' ')[0]}: ${some.join(', ')}`)
  expect(ways.toSorted()).toEqual([
    'chargeback: first, second',
    'chargeback: first, second, third',
    'chargeback: only',
    'chargeback: only',
    'dispute: first, second',
  ])
})

test('types have the right shares, in hundredths of a percent', () => {
  const shares: Record<string, number> = {}
  for (const { kind } of SLOT_TABLE) {
    const type = KINDS.find((one) => one.kind === kind)?.type ?? ''
    shares[type] = (shares[type] ?? 0) + 10_000 / SLOT_TABLE.length
  }
  expect(shares).toEqual({
    sale: 7750,
    payout: 700,
    transfer: 500,
    preauth: 300,
    capture: 240,
    reversal: 260,
    account_verification: 100,
    cancel: 50,
    pan_eligibility: 40,
    chargeback: 35,
    dispute: 10,
    fraud: 10,
    retrieval: 5,
  })
})
