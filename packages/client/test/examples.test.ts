// @module-tag long

import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import {
  ACCEPTED,
  apiUrlOf,
  CONTROL_KEY,
  CSV,
  type FixtureGateway,
  LOGIN,
  refuse,
  sendAnswer,
  sendRecords,
  sendReport,
  startGateway,
  folder,
  useFolder,
} from './fixture-gateway.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')
const runFile = promisify(execFile)

useFolder()

test('save-report.ts waits for a busy gateway and saves last month', async () => {
  let busy = true
  const gateway = await startGateway((response) => {
    if (!busy) return sendReport(response)
    busy = false
    response.writeHead(503, { 'Retry-After': '0' }).end()
  })
  expect(await run('save-report.ts', gateway)).toBe('last-month.csv: 3 rows, complete\n')
  expect(await readFile(join(folder, 'last-month.csv'), 'utf8')).toBe(CSV)
  const [from, to] = gateway.received[1]?.request?.inputReportParameters ?? []
  expect(from).toMatchObject({ name: 'dateFrom', value: expect.stringMatching(/^\d{4}-\d\d-01$/) })
  expect((from?.value ?? '') < (to?.value ?? '')).toBe(true)
})

const AMOUNTS = [
  'Transaction_type,Dispute_stage,Status,Amount,Currency',
  'sale,,approved,0.400,EUR',
  'sale,,declined,70.000,EUR',
  'capture,,approved,0.200,EUR',
  'preauth,,approved,30.000,EUR',
  'transfer,,approved,9.000,EUR',
  'reversal,,approved,5.005,USD',
  'reversal,,error,1.000,USD',
  'chargeback,first,approved,0.300,EUR',
  'chargeback,second,approved,0.300,EUR',
  'chargeback,arbitration,approved,0.300,EUR',
]
  .map((line) => `${line}\r\n`)
  .join('')

test('sum-by-currency.ts adds exactly, and prints nothing if the report is not complete', async () => {
  let rows = '10'
  const gateway = await startGateway((response) => sendReport(response, AMOUNTS, { rows }))
  expect(await run('sum-by-currency.ts', gateway)).toBe('EUR 0.300\nUSD -5.005\n')
  rows = '11'
  await expect(run('sum-by-currency.ts', gateway)).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('digest-mismatch'),
  })
})

test('stream-report.ts writes the bytes as they arrive, and fails for a damaged report', async () => {
  let rows = '3'
  const gateway = await startGateway((response) => sendReport(response, CSV, { rows }))
  expect(await run('stream-report.ts', gateway)).toBe(CSV)
  rows = '4'
  await expect(run('stream-report.ts', gateway)).rejects.toMatchObject({ code: 1, stdout: CSV })
})

test('abort-download.ts gives up in time, and leaves no file', async () => {
  const busy = await startGateway((response) => {
    response.writeHead(503, { 'Retry-After': '30' }).end()
  })
  await expect(run('abort-download.ts', busy, { SECONDS_MAX: '0.5' })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^gave up: TimeoutError/),
  })
  expect(await readdir(folder)).toEqual([])
  const gateway = await startGateway((response) => sendReport(response))
  expect(await run('abort-download.ts', gateway)).toBe('all.csv: 3 rows, complete\n')
})

test('list-reports.ts and list-runs.ts print the catalogue and the runs', async () => {
  const gateway = await startGateway(() => {}, undefined, sendRecords)
  expect(await run('list-reports.ts', gateway)).toMatch(
    /^transactions-list: Transactions\n {2}columns: Id, Words\n {2}required: nothing\n/,
  )
  expect(await run('list-runs.ts', gateway)).toBe(
    '2026-11-01T10:00:00.000Z transactions-list complete 3 rows\n' +
      'Amount: 1234.500 EUR in 3 rows\n',
  )
})

test('verify-file.ts tells the file of a run from another', async () => {
  const gateway = await startGateway(() => {}, undefined, sendRecords)
  const file = join(folder, 'may.csv')
  await writeFile(file, CSV)
  expect(await run('verify-file.ts', gateway, {}, file, 'request-1')).toContain('3 rows')
  await writeFile(file, `${CSV}x`)
  const other = run('verify-file.ts', gateway, {}, file, 'request-1')
  await expect(other).rejects.toMatchObject({ code: 1, stdout: '' })
})

test('transfer.ts repeats an operation that may have arrived, with the same order id', async () => {
  let attempt = 0
  const gateway = await startGateway((response) => {
    attempt += 1
    if (attempt === 1) response.destroy()
    else sendAnswer(response, 200, ACCEPTED)
  })
  const env = { COUNTERFOIL_API_URL: apiUrlOf(gateway) }
  expect(await run('transfer.ts', gateway, env)).toBe('accepted: 17\n')
  const orders = gateway.received.map(({ form }) => form?.[0])
  expect(orders).toEqual([
    ['client-order-id', '902B4FF5'],
    ['client-order-id', '902B4FF5'],
  ])
})

test('handle-errors.ts says what to do', async () => {
  const gateway = await startGateway((response) => refuse(response, 'signature'))
  await expect(run('handle-errors.ts', gateway)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^Check the login.* You are not auth[^]*\(request request-1\)\n$/,
    ),
  })
})

test('docs/client.md lists every example', async () => {
  const page = await readFile(join(EXAMPLES, '../docs/client.md'), 'utf8')
  const programs = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.ts'))
  expect(programs.length).toBe(9)
  for (const name of programs) expect(page).toContain(`../examples/${name}`)
})

async function run(
  example: string,
  { endpoint }: FixtureGateway,
  settings: NodeJS.ProcessEnv = {},
  ...args: readonly string[]
): Promise<string> {
  const env = {
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    COUNTERFOIL_ENDPOINT: endpoint,
    COUNTERFOIL_LOGIN: LOGIN,
    COUNTERFOIL_CONTROL_KEY: CONTROL_KEY,
    ...settings,
  }
  const { stdout } = await runFile(process.execPath, [join(EXAMPLES, example), ...args], {
    cwd: folder,
    env,
  })
  return stdout
}
