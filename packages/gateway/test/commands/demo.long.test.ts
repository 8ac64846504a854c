// @module-tag long

import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { openDemoLedger } from '../../../sample-data/src/demo/demo-ledger.ts'
import { prepareDemoConfig } from '../../../sample-data/src/demo/demo-settings.ts'
import { readRows } from '../../src/engine/engine.ts'
import { type Demo, makeDemo } from '../kit/demo-kit.ts'

let demo: Demo
beforeAll(async () => {
  demo = await makeDemo()
  await demo.runOnceHere({})
})
afterAll(() => demo.remove())

test.each(['master.key', 'shop-2.private.pem'])(
  'makes new logins when their %s is missing',
  async (name) => {
    const before = demo.readJson('demo.json')
    rmSync(join(demo.dataDir, name))
    expect(await demo.runOnceHere({})).toMatchObject({ code: 0 })
    expect(existsSync(join(demo.dataDir, name))).toBe(true)
    const after = demo.readJson('demo.json')
    expect(after.consumers[0].controlKey).not.toBe(before.consumers[0].controlKey)
  },
)

/** Opens the ledger as the demo does, and counts its transactions. */
async function rowsOf(rows: number): Promise<number> {
  const config = prepareDemoConfig({ port: Number(demo.port), rows, dataDir: demo.dataDir })
  const engine = await openDemoLedger(config, rows)
  const row = z.object({ count: z.coerce.number() })
  const sql = 'SELECT count() AS count FROM transactions'
  const [counted] = await readRows(engine, row, { sql, parameters: {} })
  await engine.close()
  return counted?.count ?? 0
}

test('another number of rows makes another ledger', async () => {
  expect(await rowsOf(1000)).toBe(1000)
  expect(demo.readJson('ledger.json')).toMatchObject({ rows: 1000, seed: 1 })
})

test('makes an incomplete ledger again, also with an empty marker', async () => {
  const marker = join(demo.dataDir, 'ledger.json')
  const child = demo.run(['--once'], { ROWS: '2000000' })
  // Killed as soon as the old ledger is gone and the new one has begun.
  while (existsSync(marker)) await new Promise((again) => setTimeout(again, 5))
  child.kill('SIGKILL')
  expect(await child.ended).toEqual({ code: null, signal: 'SIGKILL' })
  expect(existsSync(marker)).toBe(false)
  writeFileSync(marker, '')
  expect(await rowsOf(1000)).toBe(1000)
})
