import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  beginReport,
  CONTROL_KEY,
  CSV,
  CSV_ROWS,
  type FixtureGateway,
  type Handler,
  NEWEST_ROW,
  refuse,
  RUN,
  sendAnswer,
  sendRecords,
  sendReport,
  startGateway,
} from '../../client/test/fixture-gateway.ts'
import { makeCertificate } from '../../client/test/make-certificate.ts'
import { nameOutput } from '../src/report/build-request.ts'
import { folder, merchantEnv, run, useFolder } from './fixture.ts'
import { type Ended, endOf, startChild } from './run-command.ts'

useFolder()

/** Runs `counterfoil report` as the fixture's merchant. */
async function report(
  gateway: Pick<FixtureGateway, 'endpoint'>,
  options: readonly string[],
): Promise<Ended> {
  return await run(['report', ...options], { env: merchantEnv(gateway) })
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

const parameter = (name: string, value: string) => ({ type: 'INPUT_TEXT', name, value })
const spreadsheet = (locale: string) => parameter('spreadsheet', locale)

const REQUEST = {
  reportIdentifier: 'x',
  reportCsvDelimiter: ',',
  configurationReportParameters: [spreadsheet('fr-FR'), parameter('header', 'off')],
  inputReportParameters: [parameter('dateFrom', '2026-01-01'), parameter('statuses', 'approved')],
  filters: { merchants: [1], currencies: ['EUR'] },
}

test.each<[options: string, request: object]>([
  [
    `x --from 2026-05-01 --to 2026-06-01 --timezone Europe/Riga --parameter note=a=b
      --filter merchants=1,2 --filter currencies=EUR --filter merchants="a,b"
      --encode UTF-8 --delimiter ; --format CSV --name Май`,
    {
      reportIdentifier: 'x',
      reportEncode: 'UTF-8',
      reportCsvDelimiter: ';',
      reportFormat: 'CSV',
      reportName: 'Май',
      inputReportParameters: [
        parameter('dateFrom', '2026-05-01'),
        parameter('dateTo', '2026-06-01'),
        parameter('timezone', 'Europe/Riga'),
        parameter('note', 'a=b'),
      ],
      filters: { merchants: ['1', '2', 'a,b'], currencies: ['EUR'] },
    },
  ],
  ['--request request.json', REQUEST],
  [
    'other --request request.json --from 2026-05-01 --filter merchants=2',
    {
      ...REQUEST,
      reportIdentifier: 'other',
      inputReportParameters: [
        parameter('statuses', 'approved'),
        parameter('dateFrom', '2026-05-01'),
      ],
      filters: { merchants: ['2'], currencies: ['EUR'] },
    },
  ],
  ['x --for-excel de', { configurationReportParameters: [spreadsheet('de-DE')] }],
  [
    'x --for-excel en_GB --delimiter | --configuration decimals=2',
    {
      reportCsvDelimiter: '|',
      configurationReportParameters: [parameter('decimals', '2'), spreadsheet('en-GB')],
    },
  ],
  [
    '--for-excel pt --request request.json',
    { configurationReportParameters: [parameter('header', 'off'), spreadsheet('pt-BR')] },
  ],
  ['x -o a.XLSX', { reportFormat: 'XLSX' }],
  ['x -o d-{report}.parquet', { reportFormat: 'PARQUET' }],
  ['x -o e.csv', { reportFormat: 'CSV' }],
  ['x --format xlsx -o f.xlsx', { reportFormat: 'xlsx' }],
])('sends what %s says', async (options, request) => {
  const gateway = await startGateway((response) => sendReport(response))
  await writeFile(join(folder, 'request.json'), JSON.stringify(REQUEST))
  const args = ['report', ...options.split(/\s+/)]
  expect(await run(args, { env: merchantEnv(gateway) })).toMatchObject({ code: 0 })
  expect(gateway.received[0]?.request).toMatchObject(request)
})

test.each<[options: string, message: RegExp]>([
  ['', /missing the IDENTIFIER of the report.*\nSee: counterfoil report --help\n$/],
  ['x --endpont=1', /option '--endpont'\n\(Did you mean --endpoint\?\)/],
  ['x --parameter statuses', /Expected NAME=VALUE/],
  ['x --filter shops=1', /Expected one of gates, companies/],
  ['x --filter merchants=', /Expected ids/],
  ['x --control-key-file a --private-key b', /expected one key/],
  ['x --control-key-file none', /--control-key-file: .*ENOENT/],
  ['x --private-key broken.json', /--private-key: broken\.json holds no PEM key/],
  ['x --request none.json', /--request: .*ENOENT/],
  ['x --request broken.json', /--request: expected a JSON object in broken\.json/],
  ['x --json -o -', /not both/],
  ['x --since-last -o -', /use --since-last or -o -, not both/],
  ['x --endpoint http://gateway.example/', /expected https:/],
  ['x --for-excel ?', /--for-excel: expected a language or a locale/],
  ['x --format csv -o october.xlsx', /--output: \.xlsx is XLSX, but the format is csv;/],
  ['x -o october.XLS', /--output: there is no format for \.xls; write \.xlsx/],
])('report %s: ends with exit code 2', async (options, message) => {
  const gateway = await startGateway((response) => sendReport(response))
  await writeFile(join(folder, 'broken.json'), '{')
  const args = ['report', ...options.split(' ').filter(Boolean)]
  const { code, stderr } = await run(args, { env: merchantEnv(gateway) })
  expect(stderr).toMatch(message)
  expect(code).toBe(2)
  expect(gateway.received).toEqual([])
})

const values = { report: 'transactions-list', from: '2026-05-01', to: '2026-06-01 13:45:00' }

test.each([
  ['tx-{from}-{to}.csv', 'tx-2026-05-01-2026-06-01T134500.csv'],
  ['/srv/{report}/{from}.csv', '/srv/transactions-list/2026-05-01.csv'],
  ['{}.csv', '{}.csv'],
])('writes %s to %s', (output, file) => {
  expect(nameOutput(output, values)).toBe(file)
})

test('lets no value name another folder, and refuses unknown names', () => {
  expect(nameOutput('a-{from}.csv', { ...values, from: '../..\\c:/x' })).toBe('a-....cx.csv')
  expect(() => nameOutput('{day}.csv', values)).toThrow('unknown {day}; there are {report}')
  expect(() => nameOutput('{constructor}.csv', values)).toThrow('unknown {constructor}')
  expect(() => nameOutput('{to}.csv', { ...values, to: undefined })).toThrow('{to} needs --to')
})

describe('advises on certificates', { tags: ['long'] }, () => {
  async function reportTo(endpoint: string, ...options: readonly string[]): Promise<string> {
    return (await report({ endpoint }, ['x', ...options])).stderr
  }

  const startTls = async (tls: { key: string; cert: string }) => {
    return await startGateway((response) => sendReport(response), tls)
  }

  const PASS_CA = /^Next: pass the gateway's certificate, or that of its authority, with --ca FILE/m

  test('names --ca for a certificate that this machine does not trust', async () => {
    const root = await makeCertificate(folder, 'root', {
      name: 'root',
      dnsName: 'root.example.com',
    })
    const leaf = await makeCertificate(folder, 'leaf', { name: 'leaf', issuer: root })
    for (const chain of [[leaf], [leaf, root]]) {
      const { endpoint } = await startTls({ ...leaf, cert: chain.map(({ cert }) => cert).join('') })
      const untrusted = await reportTo(endpoint)
      expect(untrusted).toMatch(
        /^counterfoil: network-error: this machine does not trust the certificate of 127\.0\.0\.1:/,
      )
      expect(untrusted).toMatch(PASS_CA)
      const trusted = await reportTo(endpoint, '--ca', root.certificateFile, '--overwrite')
      expect(trusted).toMatch(/^Saved /)
    }
  })

  test('says what is wrong with another certificate, or without TLS', async () => {
    const names = { name: 'foreign', dnsName: 'reports.example.com' }
    const foreign = await makeCertificate(folder, 'foreign', names)
    const { endpoint } = await startTls(foreign)
    const stderr = await reportTo(endpoint, '--ca', foreign.certificateFile)
    expect(stderr).toMatch(/the certificate of 127.0.0.1:\d+ is for DNS:reports.example.com\n/)
    expect(stderr).toMatch(/^Next: use a host name of the certificate in --endpoint/m)
    expect(await reportTo(endpoint.replace('https:', 'http:'))).toMatch(
      /^counterfoil: network-error: no answer from .*; its port may speak TLS: use https:\n/,
    )
    const plain = await startGateway((response) => sendReport(response))
    const noTls = await reportTo(plain.endpoint.replace('http:', 'https:'))
    expect(noTls).toMatch(/^counterfoil: network-error: 127.0.0.1:\d+ does not speak TLS\n/)
    expect(noTls).toMatch(/^Next: check the port of --endpoint, and whether it begins with http:/m)
  })
})

describe('--since-last', () => {
  const BEGINNING = '1970-01-01T00:00:00.000Z'

  /** Answers for the catalogue, and for manifests with the cursors `cursor-1`, `cursor-2` ... */
  function sendCursors(): Handler {
    let count = 0
    return (response, received) => {
      if (received.path.endsWith('/catalogue')) return sendRecords(response, received)
      count += 1
      sendAnswer(response, 200, { ...RUN, cursor: `cursor-${count}` })
    }
  }

  async function startRecords(
    handleRecords = sendCursors(),
    handle: Handler = (r) => sendReport(r),
  ) {
    return await startGateway(handle, undefined, handleRecords)
  }

  async function since(
    gateway: FixtureGateway,
    options: readonly string[] = ['-o', 'tx-{from}-{to}.csv'],
  ): Promise<Ended> {
    return await report(gateway, ['transactions-list', '--since-last', ...options])
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
    const gateway = await startRecords()
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
    const gateway = await startRecords()
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
    const gateway = await startRecords(sendCursors(), (response) => {
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
    const gateway = await startRecords(sendCursors(), (response) => {
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
})
