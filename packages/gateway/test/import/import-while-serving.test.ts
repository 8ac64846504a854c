// @module-tag long

import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LedgerTable } from '../../../ledger/src/model/model.ts'
import { ask, read, open } from '../kit/ask.ts'
import { type ChildGateway, type Command, runCommand, serveInChild } from '../kit/child-gateway.ts'
import { csvOf, transactionRow, writeOwnSource } from '../kit/import-kit.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

// `IMPORT_KILLS=100 IMPORT_READERS=20` for a long run.
const KILLS = Number(process.env['IMPORT_KILLS'] ?? 2)
const READERS = Number(process.env['IMPORT_READERS'] ?? 2)
const ROWS = 200

let sandbox: Sandbox
let gateway: ChildGateway
let config: string
beforeAll(async () => {
  sandbox = await makeSandbox(1_000)
  config = await sandbox.writeConfig()
  gateway = await serveInChild(sandbox)
})
afterAll(async () => {
  await stop()
  sandbox.remove()
})

async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  gateway.kill(signal)
  await gateway.ended
}

let files = 0
function writeRows(rows: string): string {
  const file = join(sandbox.folder, `rows-${(files += 1)}.csv`)
  writeFileSync(file, rows)
  return file
}

function startImport(file: string, table: LedgerTable = 'transactions'): Command {
  const source = writeOwnSource(sandbox.folder, table)
  return runCommand(['import', '--config', config, source, file])
}

async function importRows(file: string, table?: LedgerTable): Promise<string> {
  const command = startImport(file, table)
  await command.ended
  return command.stdout() + command.stderr()
}

/** Transactions of three months, which no earlier call has returned. */
function newRows(): string {
  const first = 10_000 * (files + 1)
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const day = ['2026-08-03', '2026-09-03', '2026-10-03'][at % 3]
    return transactionRow(first + at, { created_at: `${day} 10:00:00.000`, merchant_id: '1' })
  })
  return csvOf(rows)
}

/** The report that all tests read: every transaction of the merchant, with its name. */
const WHOLE = {
  reportIdentifier: 'transactions-list',
  inputReportParameters: [
    { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-08-01' },
    { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-11-01' },
  ],
}

async function readReport(): Promise<string> {
  const { status, text } = await ask(gateway, sandbox.logins.merchant, WHOLE)
  if (status !== 200) throw new Error(text)
  return text
}

/** Reads reports until it is told to stop, and returns those that differ from each other. */
function startReaders(): { stop(): Promise<ReadonlySet<string>> } {
  const seen = new Set<string>()
  const over = new AbortController()
  const reading = Array.from({ length: READERS }, async () => {
    while (!over.signal.aborted) {
      // A killed gateway gives no answer.
      const report = await readReport().catch(() => undefined)
      if (report !== undefined) seen.add(report)
      await sleep(50)
    }
  })
  return {
    stop: async () => {
      over.abort()
      await Promise.all(reading)
      return seen
    },
  }
}

describe('an import while the gateway serves', () => {
  test('is in all of a report or in nothing of it, and shows at once', async () => {
    const before = await readReport()
    const file = writeRows(newRows())
    const readers = startReaders()
    expect(await importRows(file)).toContain(`${ROWS} rows: ${ROWS} taken`)
    const after = await readReport()
    const seen = await readers.stop()
    expect(after.split('\n').length - before.split('\n').length).toBe(ROWS)
    expect([...seen].filter((report) => report !== before && report !== after)).toEqual([])
    expect(await importRows(file)).toContain(`0 taken, ${ROWS} unchanged`)
    expect(await readReport()).toBe(after)
  })

  test('of names is in all of a report or in nothing of it', async () => {
    const names = (name: string) =>
      `merchant_id,name,login,company_id,manager_id,reseller_id,timezone,mcc\n1,${name},"",1,1,,UTC,5999\n`
    await importRows(writeRows(names('First')), 'merchants')
    const first = await readReport()
    // A report that began earlier has the earlier name to its end.
    const unread = await open(gateway, sandbox.logins.merchant, WHOLE)
    const readers = startReaders()
    await importRows(writeRows(names('Second')), 'merchants')
    await importRows(writeRows(names('Third')), 'merchants')
    const seen = await readers.stop()
    expect((await read(unread)).text).toBe(first)
    const renamed = (name: string) => first.replaceAll('First', name)
    expect(first).toContain('First')
    expect(await readReport()).toBe(renamed('Third'))
    const others = [...seen].map((report) => report.replaceAll(/Second|Third/g, 'First'))
    expect(new Set(others)).toEqual(new Set([first]))
    expect(
      [...seen].filter((report) => report.includes('First') && /Second|Third/.test(report)),
    ).toEqual([])
  })

  test('ends when the gateway stops, and the next one goes on', async () => {
    const file = writeRows(newRows())
    const command = startImport(file)
    await sleep(randomInt(1_500))
    await stop()
    await command.ended
    gateway = await serveInChild(sandbox)
    expect(await importRows(file)).toMatch(RESULT)
  })
})

const RESULT = new RegExp(
  `${ROWS} rows: (${ROWS} taken, 0 unchanged|0 taken, ${ROWS} unchanged), 0 older, 0 refused`,
)

test('a killed gateway or command leaves all of an import or nothing of it, and the next import completes it', async () => {
  for (let round = 0; round < KILLS; round += 1) {
    const before = await readReport()
    const file = writeRows(newRows())
    const readers = startReaders()
    const command = startImport(file)
    await sleep(randomInt(2_500))
    if (round % 2 === 0) command.kill('SIGKILL')
    else await stop('SIGKILL')
    const { code } = await command.ended
    // The import may have ended before.
    expect(round % 2 === 0 || code === 0 || /^error: .+/m.test(command.stderr())).toBe(true)
    if (round % 2 === 1) gateway = await serveInChild(sandbox)
    expect(await importRows(file)).toMatch(RESULT)
    const after = await readReport()
    const seen = await readers.stop()
    expect([...seen].filter((report) => report !== before && report !== after)).toEqual([])
    expect(after.split('\n').length - before.split('\n').length).toBe(ROWS)
  }
})
