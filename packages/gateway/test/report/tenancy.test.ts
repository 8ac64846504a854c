// @module-tag long

import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openScratchLedger } from '../kit/scratch-ledger.ts'
import { anyCase, type Case } from './tenancy/cases.ts'
import { exportOwn, importOwn } from './tenancy/own-ledger.ts'
import { answer, fillLedger, readWorld } from './tenancy/world.ts'

// `TENANCY_CASES=5000 TENANCY_SEED=2 npm test -- tenancy` tries more.
const CASES = Number(process.env['TENANCY_CASES'] ?? 60)
const SEED = Number(process.env['TENANCY_SEED'] ?? 1)
const VIEWERS = Math.max(4, Math.round(CASES / 100))
/** The scope must change the answer to more requests than these. After that many, the test does not compare it. */
const WIDENED = CASES / 4
const ROWS = 16_000
const EVERYTHING = { role: 'operator', sees: [] } as const

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test(`answers ${CASES} requests as from a ledger that holds only the caller’s rows`, {
  timeout: 3_600_000,
}, async () => {
  const ledger = await openScratchLedger()
  const { engine } = ledger
  await fillLedger(engine, { rows: ROWS, seed: SEED, firstMonth: '202511' })
  const world = await readWorld(engine, { seed: SEED, viewers: VIEWERS, folder })
  const { viewers, catalogue } = world
  for (const [index, viewer] of viewers.entries()) {
    await exportOwn(engine, viewer, join(folder, `own-${index}`))
  }
  const cases = fc.sample(anyCase(world), { numRuns: CASES, seed: SEED })
  const scoped: string[] = []
  const seen = { rows: 0, empty: 0, problems: 0, widened: 0 }
  for (const { viewer, request } of cases) {
    const { role, sees } = at(viewers, viewer)
    const all = { engine, catalogue }
    const { text, rows } = await answer(all, { role, sees }, role, request)
    scoped.push(digest(text))
    if (seen.widened <= WIDENED) {
      const unscoped = await answer(all, EVERYTHING, role, request)
      if (unscoped.text !== text) seen.widened += 1
    }
    if (rows > 0) seen.rows += 1
    else if (rows === 0) seen.empty += 1
    else seen.problems += 1
  }
  await ledger.close()

  const wrong: Case[] = []
  for (const [index, { role }] of viewers.entries()) {
    const own = await openScratchLedger()
    await importOwn(own.engine, join(folder, `own-${index}`))
    for (const [place, { viewer, request }] of cases.entries()) {
      if (viewer !== index) continue
      const { text } = await answer({ engine: own.engine, catalogue }, EVERYTHING, role, request)
      if (digest(text) !== scoped[place]) wrong.push({ viewer, request })
    }
    await own.close()
  }
  expect(
    wrong.slice(0, 5).map(({ viewer, request }) => [at(viewers, viewer), JSON.stringify(request)]),
  ).toEqual([])
  // If all reports were empty or refused, the test would prove nothing.
  expect(seen.rows).toBeGreaterThan(CASES / 4)
  expect(seen.problems).toBeLessThan(CASES / 2)
  expect(seen.widened).toBeGreaterThan(WIDENED)
})

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function at<T>(list: readonly T[], index: number): T {
  const element = list[index]
  if (element === undefined) throw new Error(`expected an element at ${index}`)
  return element
}
