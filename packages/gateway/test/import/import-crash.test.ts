// @module-tag long

import { randomInt } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { type Engine, type Queries, readNumber } from '../../../engine/src/engine/engine.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { importFiles } from '../../../ledger/src/import/import-files.ts'
import { runCommand } from '../kit/child-gateway.ts'
import { runHere } from '../kit/run-here.ts'
import { mortal } from '../kit/mortal.ts'
import {
  csvOf,
  ledgerAccess,
  ownSource,
  transactionRow,
  writeCommandConfig,
  writeOwnSource,
} from '../kit/import-kit.ts'

// `IMPORT_KILLS=100` for a long run.
const KILLS = Number(process.env['IMPORT_KILLS'] ?? 3)
const ROWS = 300
const MONTHS = ['2026-08', '2026-09']

let folder: string
let config: Config
let configFile: string
let file: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  configFile = writeCommandConfig(folder, { engine: { sessions: 1 } })
  config = loadConfig(configFile)
  file = join(folder, 'transactions.csv')
  const rows = Array.from({ length: ROWS }, (_, at) => {
    return transactionRow(at, { created_at: `${MONTHS[at % 2]}-01 10:00:00.000` })
  })
  writeFileSync(file, csvOf(rows))
  writeFileSync(join(folder, 'currencies.csv'), 'currency,exponent\nXAA,2\nXBB,2\nXCC,0\nXDD,3\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs work on the ledger, which no other process has open. */
async function withLedger<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine(config)
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

const countOf = async (engine: Engine) => {
  return await readNumber(engine, 'SELECT count() AS value FROM transactions FINAL')
}
const tablesOf = async (engine: Engine) => {
  const sql = "SELECT count() AS value FROM system.tables WHERE startsWith(name, 'import_')"
  return await readNumber(engine, sql)
}
const importRows = (engine: Queries, table: 'transactions' | 'currencies' = 'transactions') => {
  return importFiles(ledgerAccess(engine), {
    files: [join(folder, `${table}.csv`)],
    source: ownSource({ table }),
    dataDir: join(folder, 'data'),
    refusedFile: join(folder, 'refused.csv'),
  })
}

describe('the command', () => {
  const run = (...args: string[]) => runCommand(['import', '--config', configFile, ...args])
  const importHere = (...args: string[]) => runHere('import', '--config', configFile, ...args)

  test('prints the counts, lists refused rows, and ends with the right exit code', async () => {
    const currencies = run(writeOwnSource(folder, 'currencies'), join(folder, 'currencies.csv'))
    expect(await currencies.ended).toEqual({ code: 0, signal: null })
    expect(currencies.stdout()).toBe('4 rows: 4 taken, 0 unchanged, 0 older, 0 refused.')
    expect(currencies.stderr()).toMatch(
      /^(Reading: .* bytes.*\n)+(Checking: .*\n)+(Comparing: 4 .*\n)+(Writing: 4 .*\n)+$/,
    )

    const own = writeOwnSource(folder)
    const source = join(folder, 'renamed.sql')
    const select = 'SELECT * EXCEPT (number), number AS client_order_id FROM file'
    writeFileSync(source, `-- timezone: UTC\n${select}`)
    const refused = join(folder, 'refused.csv')
    writeFileSync(refused, '"file","line","reasons","other_id"\n')
    const rows = join(folder, 'two.csv')
    const two = [transactionRow(9001), transactionRow(9002, { status: 'x' })]
    writeFileSync(rows, csvOf(two).replace('client_order_id', 'number'))
    const some = await importHere(source, rows, '--refused', refused)
    expect(some.code).toBe(3)
    expect(some.stdout).toContain('2 rows: 1 taken, 0 unchanged, 0 older, 1 refused.\n')
    expect(some.stderr).toContain(`${refused} lists the refused rows`)
    expect(some.stdout).toMatch(
      /^ROWS {2}FIRST LINE {2}REASON .*\n1 {5}3 {11}status: expected one of approved, /m,
    )
    expect(readFileSync(refused, 'utf8')).toBe(
      `"file","line","reasons","transaction_id"\n"${rows}","3","status: expected one of approved, declined, filtered, error, processing, unknown","${two[1]?.['transaction_id']}"\n`,
    )
    const old = join(folder, 'old.csv')
    writeFileSync(old, csvOf([transactionRow(9001, { row_version: '0', amount: '-1' })]))
    const skipped = await importHere(own, old)
    expect(skipped.code).toBe(4)
    expect(skipped.stdout).toContain('1 row: 0 taken, 0 unchanged, 1 older, 0 refused.\n')
    expect(skipped.stdout).toContain('The ledger has a newer version of 1 row. First: 2.')
    writeFileSync(old, csvOf([transactionRow(9003, { amount: '-1' })]))
    const broken = await importHere(own, old, '--refused', refused)
    expect(broken.code).toBe(3)
    expect(broken.stdout).toMatch(/^negative_amount +refused +1 +2 +amount, /m)
    const verify = () => runHere('verify-ledger', '--config', configFile)
    expect(await verify()).toMatchObject({ code: 0, stdout: 'No row breaks a rule.\n' })
    const settings = readFileSync(configFile, 'utf8')
    writeFileSync(configFile, `${settings}ledgerRules: { negative_amount: warn }\n`)
    const warned = await importHere(own, old, '--refused', refused)
    expect(warned.code).toBe(0)
    expect(warned.stdout).toMatch(/^negative_amount +warned +1 +2 +amount, /m)
    writeFileSync(configFile, settings)
    const verified = await verify()
    expect(verified.code).toBe(3)
    expect(verified.stdout).toMatch(/^negative_amount +refuse +1 +-1 EUR +1000000000000009003 /m)
    writeFileSync(configFile, `${settings}ledgerRules: { negative_amont: warn }\n`)
    expect((await verify()).stderr).toContain('(did you mean "negative_amount"?)')
    writeFileSync(configFile, settings)
    writeFileSync(source, '-- timezon: UTC\nSELECT 1')
    const faulty = await importHere(source, rows)
    expect(faulty.code).toBe(1)
    expect(faulty.stderr).toContain(`${source}:1: timezon: unknown name, did you mean "timezone"?`)
    expect(readdirSync(join(folder, 'data'))).toEqual(['ledger'])
  })

  test('does nothing while another process has the ledger, or if it would overwrite a file', async () => {
    await withLedger(async (engine) => {
      const before = await countOf(engine)
      const other = run(writeOwnSource(folder), file)
      expect(await other.ended).toMatchObject({ code: 1 })
      expect(other.stderr()).toMatch(
        /^error: Another process \(PID \d+\) has the ledger in .* open\. Stop it first\n$/,
      )
      expect(await countOf(engine)).toBe(before)
    })
    const careless = await importHere(writeOwnSource(folder), file, '--refused', configFile)
    expect(careless.code).toBe(1)
    expect(careless.stderr).toContain(`${configFile}: cannot list refused rows in this file`)
    expect(loadConfig(configFile)).toEqual(config)
  })
})

describe('an interrupted import leaves all rows or none, and the next start completes or removes it,', () => {
  beforeAll(async () => {
    await withLedger(async (engine) => {
      await importRows(engine, 'currencies')
      await engine.execute('TRUNCATE TABLE transactions')
    })
  })

  test('at whichever statement it stops', async () => {
    const stops: readonly (readonly [RegExp, number])[] = [
      [/INSERT INTO import_checked/, 0],
      [/OPTIMIZE TABLE import_staging PARTITION ID '202609'/, 0],
      [/INSERT INTO import_changes/, 0],
      [/ATTACH PARTITION ALL/, ROWS],
      [/DROP TABLE import_changes/, ROWS],
    ]
    await withLedger(async (engine) => {
      for (const [stop, rows] of stops) {
        await expect(importRows(mortal(engine, stop))).rejects.toThrow('dead')
        const { imports } = ledgerAccess(engine)
        await imports.begin()
        await imports.end()
        expect([stop, await countOf(engine), await tablesOf(engine)]).toEqual([stop, rows, 0])
        await engine.execute('TRUNCATE TABLE transactions')
      }
    })
  })

  test('whenever it is killed', async () => {
    const args = ['import', '--config', configFile, writeOwnSource(folder), file]
    const seen: number[] = []
    for (let round = 0; round < KILLS; round += 1) {
      await withLedger((engine) => engine.execute('TRUNCATE TABLE transactions'))
      const command = runCommand(args)
      // Writing is short. Every other round kills during it; the others kill at any time after the ledger was opened.
      const step = round % 2 === 0 ? 'Comparing' : 'Reading'
      while (!command.stderr().includes(step)) {
        expect(command.process.exitCode).toBe(null)
        await setTimeout(2)
      }
      await setTimeout(randomInt(200))
      command.kill('SIGKILL')
      await command.ended
      await withLedger(async (engine) => {
        const count = await countOf(engine)
        seen.push(count)
        expect([0, ROWS]).toContain(count)
        expect(await tablesOf(engine)).toBe(0)
        const { taken, unchanged } = await importRows(engine)
        expect([taken, unchanged]).toEqual(count === 0 ? [ROWS, 0] : [0, ROWS])
        expect(await countOf(engine)).toBe(ROWS)
      })
    }
    if (KILLS > 20) console.log(seen.join(' '))
  })
})
