import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  beginReport,
  CONTROL_KEY,
  CSV,
  CSV_ROWS,
  type FixtureGateway,
  type Handler,
  NEWEST_ROW,
  refuse,
  sendRecords,
  sendReport,
  startGateway,
} from '../../client/test/fixture-gateway.ts'
import { folder, merchantEnv, useFolder } from './fixture.ts'
import { type Ended, endOf, runHere, startChild } from './run-command.ts'

useFolder()

/** Runs `counterfoil report` as the fixture's merchant. */
async function report(gateway: FixtureGateway, options: readonly string[]): Promise<Ended> {
  return await runHere(['report', ...options], { folder, env: merchantEnv(gateway) })
}

/** Starts it as a process of its own. */
function startReport(gateway: FixtureGateway, options: readonly string[]) {
  return startChild(['report', ...options], { folder, env: merchantEnv(gateway) })
}

test('saves a report under the name that the gateway gives, and describes it', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const { code, stdout, stderr } = await endOf(startReport(gateway, ['transactions-list']))
  expect(stderr).toMatch(
    /^Saved transactions-list\.csv: 3 rows, \d+ bytes in \d+\.\d\d s; digest and row count agree\.\nsha256 [0-9a-f]{64}\nrun request-1\nThe ledger's newest row for your login is from 2026-10-31T22:10:59Z\.\n$/,
  )
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(await readFile(join(folder, 'transactions-list.csv'), 'utf8')).toBe(CSV)
})

test('prints the result or the error as JSON', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const { code, stdout } = await report(gateway, ['x', '--json', '-o', 'x.csv'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^[^\n]+\n$/)
  expect(JSON.parse(stdout)).toEqual({
    ok: true,
    file: 'x.csv',
    runId: 'request-1',
    contentType: 'text/csv; charset=UTF-8',
    newestRow: NEWEST_ROW,
    rows: CSV_ROWS,
    bytes: Buffer.byteLength(CSV),
    replaced: 0,
    proof: 'trailers',
    sha256: expect.any(String),
    seconds: expect.any(Number),
  })
  const refusing = await startGateway((response) => refuse(response, 'signature'))
  const refused = await report(refusing, ['x', '--json'])
  expect(refused.code).toBe(3)
  expect(JSON.parse(refused.stdout)).toMatchObject({
    ok: false,
    code: 'not-authorised',
    requestId: 'request-1',
    refusal: expect.stringMatching(/^You are not authorised/),
  })
})

test('writes the bytes to standard output, and the exit code says whether they are complete', async () => {
  let shape = {}
  const gateway = await startGateway((response) => sendReport(response, CSV, shape))
  const complete = await report(gateway, ['x', '-o', '-'])
  expect(complete).toMatchObject({ code: 0, stdout: CSV })
  expect(complete.stderr).toMatch(/^Complete: 3 rows/)
  shape = { rows: '4' }
  const broken = await report(gateway, ['x', '-o', '-'])
  expect(broken).toMatchObject({ code: 6, stdout: CSV })
  expect(broken.stderr).toContain('Standard output does not hold a complete report.')
  expect(await readdir(folder)).toEqual([])
})

test('ends with exit code 1 when nobody reads its standard output', async () => {
  const csv = `"Id"\r\n${'"a row"\r\n'.repeat(300_000)}`
  const gateway = await startGateway((response) => sendReport(response, csv))
  const child = startReport(gateway, ['x', '-o', '-'])
  child.stdout?.once('data', () => child.stdout?.destroy())
  const [code] = await once(child, 'exit')
  expect(code).toBe(1)
})

const PROBLEM = JSON.stringify({
  type: 'urn:counterfoil:invalid-field',
  title: 'A field is not what it should be',
  status: 422,
  code: 'invalid-field',
  detail: 'One field is not what it should be',
  requestId: 'request-1',
  errors: [{ pointer: '/filters/merchants/0', expected: 'an id of a merchant' }],
})

test.each<[string, number, Handler, RegExp]>([
  [
    'a refusal',
    3,
    (r) => refuse(r, 'signature: expected another\n\u{1B}[2J'),
    /not-authorised: .*\nYou are not authorised.*\nsignature: expected another\n\u{FFFD}\[2J\nNo file was saved\.\nNext: check the login.* of --endpoint,.*\nRequest id: request-1\n$/u,
  ],
  [
    'a problem',
    4,
    (r) => void r.writeHead(422, { 'Content-Type': 'application/problem+json' }).end(PROBLEM),
    /report-refused: One field.*\n  \/filters\/merchants\/0: an id of a merchant\nNo file was saved\.\nNext: correct the request\.\n/,
  ],
  [
    'a busy gateway',
    7,
    (r) => void r.writeHead(503, { 'Retry-After': '70' }).end(),
    /busy: .*\n.*\nNext: wait 70 seconds, then retry\.\n/,
  ],
  [
    'a wrong row count',
    6,
    (r) => sendReport(r, CSV, { rows: '4' }),
    /digest-mismatch: the gateway sent 4 rows, but 3 arrived/,
  ],
])(
  'after %s: ends with exit code %i, leaves no file, and says what to do',
  async (_, exitCode, handle, message) => {
    const gateway = await startGateway(handle)
    const { code, stdout, stderr } = await report(gateway, ['x'])
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' })
    expect(stderr).toMatch(/^counterfoil: /)
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain(CONTROL_KEY)
    expect(await readdir(folder)).toEqual([])
  },
)

test('accepts no report without a proof with --require-proof', async () => {
  const gateway = await startGateway((response) => {
    response.removeHeader('Counterfoil-Request-Id')
    response.writeHead(200, { 'Content-Type': 'text/csv' }).end(CSV)
  })
  expect(await report(gateway, ['x', '-o', 'x.csv'])).toMatchObject({ code: 0 })
  expect(await report(gateway, ['x', '-o', 'strict.csv', '--require-proof'])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('truncated: the gateway does not prove'),
  })
  expect(await readdir(folder)).toEqual(['x.csv'])
})

test('replaces a file only when told', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  await writeFile(join(folder, 'x.csv'), 'before')
  expect(await report(gateway, ['x', '-o', 'x.csv'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('x.csv already exists'),
  })
  expect(await readFile(join(folder, 'x.csv'), 'utf8')).toBe('before')
  expect(await report(gateway, ['x', '-o', 'x.csv', '--overwrite'])).toMatchObject({ code: 0 })
  expect(await readFile(join(folder, 'x.csv'), 'utf8')).toBe(CSV)
})

test('leaves no file behind when it is interrupted', async () => {
  const begun = Promise.withResolvers<void>()
  const gateway = await startGateway((response) => {
    beginReport(response)
    response.write(CSV, () => begun.resolve())
  })
  const child = startReport(gateway, ['x'])
  const ended = endOf(child)
  await begun.promise
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining('interrupted') })
  expect(await readdir(folder)).toEqual([])
})

test('describes a report of the catalogue', async () => {
  const gateway = await startGateway(() => {}, undefined, sendRecords)
  const env = merchantEnv(gateway)
  const one = await runHere(['reports', 'transactions-list'], { folder, env })
  expect(one).toMatchObject({ code: 0, stderr: '' })
  expect(one.stdout).toMatch(/^ {2}Words +text +some words$/m)
  const all = await runHere(['reports'], { folder, env })
  expect(all.stdout).toMatch(/^daily-totals +Totals of each day +CSV$/m)
})
