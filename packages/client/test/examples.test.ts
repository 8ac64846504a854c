import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  CONTROL_KEY,
  CSV,
  type FixtureGateway,
  LOGIN,
  sendReport,
  startGateway,
} from './fixture-gateway.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')
const runFile = promisify(execFile)

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

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
    stderr: expect.stringContaining('DigestMismatch'),
  })
})

async function run(example: string, { endpoint }: FixtureGateway): Promise<string> {
  const env = {
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    COUNTERFOIL_ENDPOINT: endpoint,
    COUNTERFOIL_LOGIN: LOGIN,
    COUNTERFOIL_CONTROL_KEY: CONTROL_KEY,
  }
  const { stdout } = await runFile(process.execPath, [join(EXAMPLES, example)], {
    cwd: folder,
    env,
  })
  return stdout
}
