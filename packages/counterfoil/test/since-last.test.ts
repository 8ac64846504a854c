import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type FixtureGateway,
  type Handler,
  RUN,
  sendAnswer,
  sendRecords,
  sendReport,
  startGateway,
} from '../../client/test/fixture-gateway.ts'
import { folder, merchantEnv, run, useFolder } from './fixture.ts'
import type { Ended } from './run-command.ts'

const BEGINNING = '1970-01-01T00:00:00.000Z'

useFolder()

/** Answers for the catalogue, and for manifests with the cursors `cursor-1`, `cursor-2` ... */
function sendCursors(): Handler {
  let count = 0
  return (response, received) => {
    if (received.path.endsWith('/catalogue')) return sendRecords(response, received)
    count += 1
    sendAnswer(response, 200, { ...RUN, cursor: `cursor-${count}` })
  }
}

async function start(handleRecords = sendCursors(), handle: Handler = (r) => sendReport(r)) {
  return await startGateway(handle, undefined, handleRecords)
}

async function since(
  { endpoint }: FixtureGateway,
  options: readonly string[] = ['-o', 'tx-{from}-{to}.csv'],
  identifier = 'transactions-list',
): Promise<Ended> {
  const env = merchantEnv({ endpoint })
  return await run(['report', identifier, '--since-last', ...options], { env })
}

/** The values of `changedSince` that the gateway received. */
function cursorsOf({ received }: FixtureGateway): readonly (string | undefined)[] {
  return received
    .filter(({ request }) => request?.reportIdentifier !== undefined)
    .map(({ request }) => {
      return request?.inputReportParameters?.find(({ name }) => name === 'changedSince')?.value
    })
}

async function cursorFiles(): Promise<readonly string[]> {
  const place = join(folder, 'counterfoil', 'default.cursors')
  return (await readdir(place).catch(() => [])).map((name) => join(place, name))
}

test('asks for everything first, and then from the cursor of the last complete file', async () => {
  const gateway = await start()
  const first = await since(gateway)
  expect(first).toMatchObject({ code: 0 })
  expect(first.stderr).toMatch(/^The first run with --since-last: every row of the request\./)
  expect(await since(gateway)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Rows that changed since the last run, of \d{4}-/),
  })
  expect(await since(gateway, ['-o', 'third.csv'])).toMatchObject({ code: 0 })
  expect(cursorsOf(gateway)).toEqual([BEGINNING, 'cursor-1', 'cursor-2'])
  const names = (await readdir(folder))
    .filter((name) => name.startsWith('tx-'))
    .toSorted()
    .join(' ')
  // The first run began when the second file begins.
  expect(names).toMatch(/^tx-(\d{8}T\d{6}Z)-\d{8}T\d{6}Z\.csv tx-first-\1\.csv$/)
})

test('keeps a cursor for each report, parameters, filters, login and profile', async () => {
  const gateway = await start()
  await since(gateway, ['-o', '1.csv'])
  await since(gateway, ['-o', '2.csv', '--filter', 'merchants=1'])
  await since(gateway, ['-o', '3.csv', '--parameter', 'statuses=approved'])
  // How the rows are written does not count.
  await since(gateway, ['-o', '4.csv', '--column', 'Amount', '--delimiter', ';'])
  expect(cursorsOf(gateway)).toEqual([BEGINNING, BEGINNING, BEGINNING, 'cursor-1'])
  expect(await cursorFiles()).toHaveLength(3)
})

test('moves no cursor when the file is not whole', async () => {
  let rows: string | undefined
  const gateway = await start(sendCursors(), (response) => {
    return sendReport(response, undefined, rows === undefined ? {} : { rows })
  })
  await since(gateway, ['-o', '1.csv'])
  rows = '4'
  expect(await since(gateway, ['-o', '2.csv'])).toMatchObject({ code: 6 })
  rows = undefined
  expect(await since(gateway, ['-o', '1.csv'])).toMatchObject({ code: 1 })
  await since(gateway, ['-o', '3.csv'])
  expect(cursorsOf(gateway)).toEqual([BEGINNING, 'cursor-1', 'cursor-1'])
})

test('names the file of a cursor that the gateway refuses, or that is malformed', async () => {
  let isOther = false
  const gateway = await start(sendCursors(), (response) => {
    if (!isOther) return sendReport(response)
    const errors = [
      { pointer: '/inputReportParameters/0/value', expected: 'for changedSince another' },
    ]
    const problem = { type: 'x', title: 'x', status: 422, code: 'invalid-parameter', detail: 'x' }
    response.writeHead(422, { 'Content-Type': 'application/problem+json' })
    response.end(JSON.stringify({ ...problem, requestId: 'r', errors }))
  })
  await since(gateway, ['-o', '1.csv'])
  const [file = ''] = await cursorFiles()
  isOther = true
  expect(await since(gateway, ['-o', '2.csv'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(`To get every row again, delete the cursor ${file}\n`),
  })
  await writeFile(file, '{')
  expect(await since(gateway, ['-o', '3.csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`cannot read the cursor ${file}`),
  })
})
