import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  beginReport,
  CONTROL_KEY,
  CSV,
  CSV_ROWS,
  ENCRYPTED_PRIVATE_KEY,
  type FixtureGateway,
  type Handler,
  LOGIN,
  NEWEST_ROW,
  PASSPHRASE,
  refuse,
  RSA_LOGIN,
  sendReport,
  startGateway,
} from '../../client/test/fixture-gateway.ts'
import { folder, merchantEnv, useFolder } from './fixture.ts'
import { type Ended, endOf, runHere, startChild } from './run-command.ts'

useFolder()

/** Runs `counterfoil report` as the fixture's merchant. */
async function report(
  gateway: FixtureGateway,
  options: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const place = { folder, env: { ...merchantEnv(gateway), ...env } }
  return await runHere(['report', ...options], place)
}

/** Starts it as a process of its own. */
function startReport(gateway: FixtureGateway, options: readonly string[]): ChildProcess {
  return startChild(['report', ...options], { folder, env: merchantEnv(gateway) })
}

test('saves a report under the name that the gateway gives, and says what came', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const { code, stdout, stderr } = await endOf(startReport(gateway, ['transactions-list']))
  expect(stderr).toMatch(
    /^Saved transactions-list\.csv: 3 rows, \d+ bytes in \d+\.\d\d s; digest and row count agree\.\nsha256 [0-9a-f]{64}\nrun request-1\nThe ledger's newest row for your login is from 2026-10-31T22:10:59Z\.\n$/,
  )
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(await readFile(join(folder, 'transactions-list.csv'), 'utf8')).toBe(CSV)
})

test('sends what its options say', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const { code } = await report(gateway, [
    'transactions-list',
    ...'--from 2026-05-01 --to 2026-06-01 --timezone Europe/Riga'.split(' '),
    ...'--parameter statuses=approved,declined --parameter note=a=b'.split(' '),
    ...'--filter merchants=1,2 --filter currencies=EUR --filter merchants="a,b"'.split(' '),
    ...'--encode UTF-8 --delimiter ; --format CSV --name Май -o x.csv'.split(' '),
  ])
  expect(code).toBe(0)
  expect(gateway.received[0]?.request).toEqual({
    reportIdentifier: 'transactions-list',
    reportEncode: 'UTF-8',
    reportCsvDelimiter: ';',
    reportFormat: 'CSV',
    reportName: 'Май',
    inputReportParameters: [
      { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-05-01' },
      { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-06-01' },
      { type: 'INPUT_TEXT', name: 'timezone', value: 'Europe/Riga' },
      { type: 'INPUT_TEXT', name: 'statuses', value: 'approved,declined' },
      { type: 'INPUT_TEXT', name: 'note', value: 'a=b' },
    ],
    filters: { merchants: ['1', '2', 'a,b'], currencies: ['EUR'] },
  })
})

test('takes a request file, of which arguments and options replace parts', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const parameter = (name: string, value: string) => ({ type: 'INPUT_TEXT', name, value })
  const request = {
    reportIdentifier: 'transactions-list',
    reportFormat: 'CSV',
    inputReportParameters: [parameter('dateFrom', '2026-01-01'), parameter('statuses', 'approved')],
    filters: { merchants: [1], currencies: ['EUR'] },
  }
  await writeFile(join(folder, 'request.json'), JSON.stringify(request))
  await report(gateway, ['--request', 'request.json', '-o', '1.csv'])
  const options = ['--from', '2026-05-01', '--filter', 'merchants=2', '--request', 'request.json']
  await report(gateway, ['other-report', ...options, '-o', '2.csv'])
  expect(gateway.received.map((received) => received.request)).toEqual([
    request,
    {
      ...request,
      reportIdentifier: 'other-report',
      inputReportParameters: [
        parameter('statuses', 'approved'),
        parameter('dateFrom', '2026-05-01'),
      ],
      filters: { merchants: ['2'], currencies: ['EUR'] },
    },
  ])
})

test('writes for a spreadsheet by one option, which maps a language to a locale', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const parameter = (name: string, value: string) => ({ type: 'INPUT_TEXT', name, value })
  const request = {
    reportCsvDelimiter: ',',
    configurationReportParameters: [parameter('spreadsheet', 'fr-FR'), parameter('header', 'off')],
  }
  await writeFile(join(folder, 'request.json'), JSON.stringify(request))
  await report(gateway, ['x', '--for-excel', 'de', '-o', '1.csv'])
  const more = ['--delimiter', '|', '--configuration', 'decimals=2']
  await report(gateway, ['x', '--for-excel', 'en_GB', ...more, '-o', '2.csv'])
  await report(gateway, ['x', '--for-excel', 'pt', '--request', 'request.json', '-o', '3.csv'])
  expect(gateway.received.map((received) => received.request)).toEqual([
    {
      reportIdentifier: 'x',
      reportFormat: 'CSV',
      configurationReportParameters: [parameter('spreadsheet', 'de-DE')],
    },
    {
      reportIdentifier: 'x',
      reportFormat: 'CSV',
      reportCsvDelimiter: '|',
      configurationReportParameters: [
        parameter('spreadsheet', 'en-GB'),
        parameter('decimals', '2'),
      ],
    },
    {
      reportIdentifier: 'x',
      reportFormat: 'CSV',
      configurationReportParameters: [
        parameter('spreadsheet', 'pt-BR'),
        parameter('header', 'off'),
      ],
    },
  ])
  const { code, stderr } = await report(gateway, ['x', '--for-excel', '?'])
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('--for-excel: expected a language or a locale'),
  ])
})

test('says how many characters the encoding lacks', async () => {
  const gateway = await startGateway((response) => sendReport(response, CSV, { replaced: '1200' }))
  const { stderr } = await report(gateway, ['x', '--encode', 'windows-1251'])
  expect(stderr).toContain('The encoding lacks 1,200 characters of the report')
})

test('signs with a key file instead of the variable, or with a private key', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  await writeFile(join(folder, 'key.txt'), `${CONTROL_KEY}\n`)
  await writeFile(join(folder, 'key.pem'), ENCRYPTED_PRIVATE_KEY)
  const wrong = { COUNTERFOIL_CONTROL_KEY: 'wrong' }
  const byFile = ['x', '-o', '1.csv', '--control-key-file', 'key.txt']
  expect(await report(gateway, byFile, wrong)).toMatchObject({ code: 0 })
  const byRsa = ['x', '-o', '2.csv', '--login', RSA_LOGIN, '--private-key', 'key.pem']
  const passphrase = ['--passphrase-env', 'SECRET']
  expect(await report(gateway, [...byRsa, ...passphrase], { SECRET: PASSPHRASE })).toMatchObject({
    code: 0,
  })
  expect(gateway.received.map(({ login }) => login)).toEqual([LOGIN, RSA_LOGIN])
})

test('prints the result as JSON', async () => {
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
})

test('sends the bytes to standard output as they come, and says there whether they were complete', async () => {
  let shape = {}
  const gateway = await startGateway((response) => sendReport(response, CSV, shape))
  const complete = await report(gateway, ['x', '-o', '-'])
  expect(complete).toMatchObject({ code: 0, stdout: CSV })
  expect(complete.stderr).toMatch(/^Complete: 3 rows/)
  const newest = `The ledger's newest row for your login is from ${NEWEST_ROW}.\n`
  expect(complete.stderr.endsWith(newest)).toBe(true)
  shape = { rows: '4' }
  const broken = await report(gateway, ['x', '-o', '-'])
  expect(broken).toMatchObject({ code: 6, stdout: CSV })
  expect(broken.stderr).toContain('Standard output does not hold a complete report.')
  expect(await readdir(folder)).toEqual([])
})

test.each<[number, Handler, readonly string[]]>([
  [3, (response) => refuse(response, 'signature'), ['x']],
  [2, (response) => sendReport(response), ['x', '--endpont=1']],
])('a process ends with exit code %i of its command', async (code, handle, options) => {
  const gateway = await startGateway(handle)
  const ended = await endOf(startReport(gateway, options))
  expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^counterfoil: /) })
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

const PROBLEM = {
  type: 'urn:counterfoil:invalid-field',
  title: 'A field is not what it should be',
  status: 422,
  code: 'invalid-field',
  detail: 'One field is not what it should be',
  requestId: 'request-1',
  errors: [{ pointer: '/filters/merchants/0', expected: 'an id of a merchant' }],
}

const cutShortly: Handler = (response) => {
  beginReport(response)
  setTimeout(() => response.destroy(), 20)
}

test.each<[string, number, Handler, RegExp]>([
  [
    'a refusal',
    3,
    (r) => refuse(r, 'signature: expected another'),
    /not-authorised: .*\nYou are not authorised.*\nsignature: expected another\nNo file was saved\.\nNext: check the login.* of --endpoint,.*\nRequest id: request-1\n$/,
  ],
  [
    'a problem',
    4,
    (r) =>
      void r
        .writeHead(422, { 'Content-Type': 'application/problem+json' })
        .end(JSON.stringify(PROBLEM)),
    /report-refused: One field.*\n  \/filters\/merchants\/0: an id of a merchant\nNo file was saved\.\nNext: correct the request\.\n/,
  ],
  [
    'a busy gateway',
    7,
    (r) => void r.writeHead(503, { 'Retry-After': '70' }).end(),
    /busy: .*\n.*\nNext: wait 70 seconds, then retry\.\n/,
  ],
  ['a cut connection', 6, cutShortly, /truncated: .*\nNo file/],
  [
    'a wrong row count',
    6,
    (r) => sendReport(r, CSV, { rows: '4' }),
    /digest-mismatch: the gateway sent 4 rows, but 3 arrived/,
  ],
  ['what a terminal would obey', 3, (r) => refuse(r, '\u{1B}[2J'), /\n\u{FFFD}\[2J\n/u],
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
  for (const output of ['strict.csv', '-']) {
    expect(await report(gateway, ['x', '-o', output, '--require-proof'])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('truncated: the gateway does not prove'),
    })
  }
  const proving = await startGateway((response) => sendReport(response))
  const proved = await report(proving, ['x', '-o', 'proved.csv', '--require-proof'])
  expect(proved).toMatchObject({ code: 0 })
  expect((await readdir(folder)).toSorted()).toEqual(['proved.csv', 'x.csv'])
})

test('prints an error as JSON', async () => {
  const gateway = await startGateway((response) => refuse(response, 'signature'))
  const { code, stdout } = await report(gateway, ['x', '--json'])
  expect(code).toBe(3)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    code: 'not-authorised',
    requestId: 'request-1',
    refusal: expect.stringMatching(/^You are not authorised/),
  })
})

test('replaces a file only when told', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  await writeFile(join(folder, 'x.csv'), 'before')
  const refused = await report(gateway, ['x', '-o', 'x.csv'])
  expect(refused).toMatchObject({
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
