import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkPlanted, type PlantedSql, writePlanted } from './planted-report.ts'
import { openScratchLedger, type ScratchLedger } from './scratch-ledger.ts'

let ledger: ScratchLedger
let pipe = ''
beforeAll(async () => {
  ledger = await openScratchLedger()
  pipe = join(ledger.folder, 'pipe')
  execFileSync('mkfifo', [pipe])
})
afterAll(async () => await ledger.close())

const BYTES = Buffer.alloc(60_000, 'x')

/** Runs a check, and counts the bytes of the pipe that are left: an engine that opened it has read some. */
async function checkBesidePipe(sql: PlantedSql): Promise<readonly [left: number, string]> {
  const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  try {
    writeSync(descriptor, BYTES)
    const faults = await checkPlanted(ledger, writePlanted(sql))
    return [readSync(descriptor, Buffer.alloc(BYTES.length)), faults.join('\n')]
  } finally {
    closeSync(descriptor)
  }
}

const FILE = /expected the name of a time zone, got one of a file/
describe('the engine opens no time zone that is a file', () => {
  test.each<[string, (zone: string) => PlantedSql, RegExp]>([
    ['a constant', (zone) => ({ column: `toTimeZone(created_at, '${zone}')` }), FILE],
    ['days', (zone) => ({ column: `addDays(created_at, 1, '${zone}')` }), FILE],
    ['a type', (zone) => ({ column: `created_at::DateTime('${zone}')` }), FILE],
    [
      'a placeholder',
      (zone) => ({ column: `{now /* { */ :DateTime('${zone}')}` }),
      /expected \{now:DateTime64\(3, 'UTC'\)\}, got/,
    ],
  ])('of %s', async (_, write, fault) => {
    const [left, faults] = await checkBesidePipe(write(`file:${pipe}`))
    expect(faults).toMatch(fault)
    expect(left).toBe(BYTES.length)
  })

  test.each<[PlantedSql]>([
    [{ column: "toString(created_at, 'Europe/Berlin')" }],
    [{ column: "dateDiff('day', created_at, settled_at, {timezone:String})" }],
    [{ column: "formatDateTime(toTimeZone(created_at, {timezone:String}), '%Y-%m')" }],
    [{ column: "CAST(created_at, 'Nullable(DateTime64(3, \\'Europe/Berlin\\'))')" }],
    [{ column: "concat('profile: (b!)', if(match(status, '^(a|b)$'), 'c (d!)', ''))" }],
    [{ column: "formatDateTime(created_at, '%m/%d/%Y (%H:%i)')" }],
    [{ parameter: "client_order_id LIKE concat('%', {given:String}, '%')" }],
    [{ parameter: "has(splitByChar(',', {given:String}), status)" }],
    [{ parameter: 'addDays(created_at, toInt32OrZero({given:String})) > settled_at' }],
  ])('and takes %j', async (sql) => {
    expect(await checkPlanted(ledger, writePlanted(sql))).toEqual([])
  })
})
