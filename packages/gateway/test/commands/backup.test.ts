// @module-tag long

import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ask, LIST } from '../kit/ask.ts'
import { freePort } from '../kit/free-port.ts'
import { csvOf, transactionRow, writeOwnSource } from '../kit/import-kit.ts'
import { findEndpointsIn, reported, transfer } from '../kit/operate.ts'
import { readMetrics } from '../kit/read-metrics.ts'
import { runHere } from '../kit/run-here.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

const sandbox = await useSandbox(1_000)
const { own } = await findEndpointsIn(sandbox, sandbox.logins.merchant)
const config = await sandbox.writeConfig()
const metricsPort = await freePort()
const gateway = await serve(sandbox, { metrics: { port: metricsPort } })
afterAll(() => gateway.close())

async function send(orderId: string, to: RunningGateway = gateway): Promise<string> {
  const { status, text } = await transfer(to, sandbox.logins.merchant, own, orderId)
  if (status !== 200) throw new Error(text)
  return text
}

test('status shows the running gateway and the rows of the ledger', async () => {
  const { code, stdout } = await runHere('status', '--config', config)
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^The gateway has run since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: process \d+, version 0\.1\.0\.$/m,
  )
  expect(stdout).toContain(`process ${process.pid}`)
  expect(stdout).toContain(`It answers at ${gateway.reportUrl}.`)
  expect(stdout).toContain('Reports: 0 running, 0 waiting.')
  expect(stdout).toMatch(/^The oldest operation in the outbox has waited for \d+\.\d s\.$/m)
  expect(stdout).toMatch(/^transactions {2}[1-9]\d* +\d+\.\d$/m)
  expect(stdout).toMatch(/^Newest transaction: 2026-10-\d\d \d\d:\d\d:\d\d UTC$/m)
})

const importRows = async (file: string, refused: string) => {
  const source = writeOwnSource(sandbox.folder)
  return await runHere('import', '--config', config, source, file, '--refused', refused)
}

test('status, a metric and the log count the rows that an import refused', async () => {
  const file = join(sandbox.folder, 'some-wrong.csv')
  const broken = [2, 3].map((number) => transactionRow(number, { status: 'x' }))
  writeFileSync(file, csvOf([transactionRow(1), ...broken]))
  const refused = join(sandbox.folder, 'some-wrong.refused.csv')
  const imported = await importRows(file, refused)
  expect(imported.stdout).toContain('3 rows: 1 taken, 0 unchanged, 0 older, 2 refused.\n')
  const { stdout } = await runHere('status', '--config', config)
  expect(stdout).toMatch(/^IMPORT .* TAKEN +REPLACED +REFUSED +FROM$/m)
  expect(stdout).toMatch(/^\d+ .* transactions +1 +0 +2 +some-wrong\.csv$/m)
  await expect
    .poll(async () => (await readMetrics(metricsPort))['counterfoil_import_refused_rows'])
    .toBe(2)
  expect(gateway.lines()).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: expect.stringMatching(/^import \d+ of transactions: 1 rows taken, 2 refused$/),
    }),
  )
})

test('ledger delete says that nothing is to be deleted', async () => {
  const args = ['--merchant', '2147483647', '--yes', '--config', config]
  const { code, stdout } = await runHere('ledger delete', ...args)
  expect(code).toBe(0)
  expect(stdout).toContain('There is nothing to delete.')
})

test('a backup of a serving gateway has the ledger and the store of one moment', async () => {
  const answers = new Map<string, string>()
  const accept = async (orderId: string): Promise<void> => {
    answers.set(orderId, await send(orderId))
  }
  for (let number = 0; number < 5; number += 1) await accept(`before-${number}`)
  const before = await ask(gateway, sandbox.logins.operator, LIST)
  const folder = join(sandbox.folder, 'backup')
  const over = new AbortController()
  const backup = runHere('backup', folder, '--config', config).finally(() => over.abort())
  // Operations and reports go on.
  for (let number = 0; !over.signal.aborted; number += 1) {
    await accept(`during-${number}`)
    await reported(gateway, sandbox.logins.merchant)
  }
  expect(await backup).toEqual({
    code: 0,
    stdout: `Backed up the ledger and the store to ${folder}.\n`,
    stderr: '',
  })
  expect(existsSync(join(sandbox.dataDir, 'snapshot'))).toBe(false)
  expect(readdirSync(folder).toSorted()).toEqual(['ledger', 'store.sqlite'])

  await gateway.close()
  const restored = await serve(sandbox, { dataDir: folder })
  const rows = await reported(restored, sandbox.logins.merchant)
  const ids = new Set(rows.map((row) => row['Transaction_id']))
  const missing = [...answers].filter(([orderId, text]) => {
    return orderId.startsWith('before-') && !ids.has(String(JSON.parse(text)['transaction-id']))
  })
  expect(missing).toEqual([])
  // Every operation that the restored ledger has is known to the restored store.
  const known = rows.map((row) => row['Merchant_OID'] ?? '').filter((id) => answers.has(id))
  for (const orderId of known) expect(await send(orderId, restored)).toBe(answers.get(orderId))
  const after = await ask(restored, sandbox.logins.operator, LIST)
  const ofOthers = (text: string): readonly string[] => {
    return text.split('\n').filter((line) => !/before-|during-/.test(line))
  }
  expect(ofOthers(after.text)).toEqual(ofOthers(before.text))
  await restored.close()
})

test('never uses or removes a folder that another process made', async () => {
  const partial = join(sandbox.folder, 'again.partial')
  mkdirSync(partial)
  writeFileSync(join(partial, 'mine'), '')
  const advice = 'If no other backup runs, delete it. Otherwise, name another folder'
  const folder = join(sandbox.folder, 'again')
  expect(await runHere('backup', folder, '--config', config)).toMatchObject({
    code: 1,
    stderr: `error: ${partial} exists. ${advice}\n`,
  })
  expect(readdirSync(partial)).toEqual(['mine'])
  rmSync(partial, { recursive: true })
})

test('a backup without a gateway works too, and never replaces a folder', async () => {
  await gateway.close()
  const folder = join(sandbox.folder, 'again')
  expect(await runHere('backup', folder, '--config', config)).toMatchObject({ code: 0 })
  expect(readdirSync(folder).toSorted()).toEqual(['ledger', 'store.sqlite'])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const taken = join(sandbox.folder, 'taken')
  mkdirSync(taken)
  writeFileSync(join(taken, 'mine'), '')
  const refused = await runHere('backup', taken, '--config', config)
  expect(refused).toMatchObject({ code: 1, stderr: `error: ${taken}: expected a new folder\n` })
  expect(readdirSync(taken)).toEqual(['mine'])
  const { stdout } = await runHere('status', '--config', config)
  expect(stdout).toMatch(/^No gateway runs\.$/m)
})

test('names the ledger alone if there is no store', async () => {
  const folder = join(sandbox.folder, 'ledger-only')
  const empty = await sandbox.writeConfig({ dataDir: join(sandbox.folder, 'empty') })
  expect(await runHere('backup', folder, '--config', empty)).toMatchObject({
    code: 0,
    stdout: `Backed up the ledger to ${folder}.\n`,
  })
})
