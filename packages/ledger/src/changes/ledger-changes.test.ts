import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LedgerChanges } from './ledger-changes.ts'

const NEVER = new AbortController().signal

/** A change that lasts until it is ended. */
function startChange(changes: LedgerChanges): { end(): void; readonly ended: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const ended = changes.write(() => changes.change(() => promise))
  return { end: resolve, ended }
}

test('a report that planned its query before a change is read once', async () => {
  const changes = new LedgerChanges()
  let attempts = 0
  const result = await changes.read(NEVER, async (_, onPlanned) => {
    attempts += 1
    onPlanned()
    const change = startChange(changes)
    await turn()
    change.end()
    await change.ended
    return attempts
  })
  expect(result).toBe(1)
})

test('a report that a change interrupts is ended, and read again after the change', async () => {
  const changes = new LedgerChanges()
  const seen: string[] = []
  const result = await changes.read(NEVER, async (signal, onPlanned) => {
    seen.push('attempt')
    if (seen.length === 1) {
      const change = startChange(changes)
      await turn()
      setImmediate(() => {
        seen.push('change ends')
        change.end()
      })
    }
    onPlanned()
    signal.throwIfAborted()
    return 'rows'
  })
  expect(result).toBe('rows')
  expect(seen).toEqual(['attempt', 'change ends', 'attempt'])
})

test('an error counts, unless a change may have caused it', async () => {
  const changes = new LedgerChanges()
  const fails = changes.read(NEVER, async () => await Promise.reject(new Error('mine')))
  await expect(fails).rejects.toThrow('mine')
  let attempts = 0
  const result = await changes.read(NEVER, async () => {
    attempts += 1
    if (attempts > 1) return attempts
    const change = startChange(changes)
    await turn()
    change.end()
    throw new Error('a name is missing')
  })
  expect(result).toBe(2)
})

test('a report whose reader left is not read again', async () => {
  const changes = new LedgerChanges()
  const leaving = new AbortController()
  const read = changes.read(leaving.signal, async (signal, onPlanned) => {
    const change = startChange(changes)
    await turn()
    change.end()
    leaving.abort(new Error('gone'))
    onPlanned()
    signal.throwIfAborted()
  })
  await expect(read).rejects.toThrow('gone')
})

test('writes run one after the other, also after one that failed', async () => {
  const seen: string[] = []
  let changed = 0
  const changes = new LedgerChanges(() => (changed += 1))
  const change = startChange(changes)
  const failed = changes.write(async () => {
    seen.push('second')
    await turn()
    throw new Error('refused')
  })
  const last = changes.write(async () => void seen.push('last'))
  await turn()
  expect([seen, changed]).toEqual([[], 0])
  seen.push('first')
  change.end()
  await expect(failed).rejects.toThrow('refused')
  await last
  expect([seen, changed]).toEqual([['first', 'second', 'last'], 1])
})

test('the watermark is before the beginning of every open write, and before this millisecond', async () => {
  let now = 1_000
  const changes = new LedgerChanges(() => {}, { now: () => now, lagMs: 0 })
  expect(changes.watermark()).toBe(999)
  const close = changes.openWrite()
  now = 2_000
  const closeSecond = changes.openWrite()
  expect(changes.watermark()).toBe(999)
  close()
  expect(changes.watermark()).toBe(1_999)
  closeSecond()
  now = 3_000
  expect(changes.watermark()).toBe(2_999)
})

test('a write is open until it ends, also if it fails', async () => {
  let now = 1_000
  const changes = new LedgerChanges(() => {}, { now: () => now, lagMs: 0 })
  const first = startChange(changes)
  const failed = changes.write(async () => await Promise.reject(new Error('refused')))
  await turn()
  now = 2_000
  expect(changes.watermark()).toBe(999)
  first.end()
  await first.ended
  await expect(failed).rejects.toThrow('refused')
  expect(changes.watermark()).toBe(1_999)
})

test('the watermark of a server is older than the lag', () => {
  const changes = new LedgerChanges(() => {}, { now: () => 100_000, lagMs: 60_000 })
  expect(changes.watermark()).toBe(39_999)
})

test('a report waits for the repair of a change that failed', async () => {
  const changes = new LedgerChanges()
  const seen: string[] = []
  const failing = changes.write(() => changes.change(() => Promise.reject(new Error('gone'))))
  await expect(failing).rejects.toThrow('gone')
  const reading = changes.read(NEVER, async (_, onPlanned) => {
    seen.push('report')
    onPlanned()
  })
  await turn()
  const repair = startChange(changes)
  await turn()
  seen.push('repaired')
  repair.end()
  await Promise.all([repair.ended, reading])
  expect(seen).toEqual(['repaired', 'report'])
})
