import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { CounterfoilClient } from '../src/index.ts'
import {
  beginReport,
  catalogued,
  connect,
  type Handler,
  refuse,
  type ReportShape,
  sendAnswer,
  sendReport,
  startGateway,
} from './fixture-gateway.ts'

const COLUMNS = [
  { name: 'Id', kind: 'id', about: 'the id', optional: false },
  { name: 'Amount', kind: 'money', about: 'the amount', optional: false },
  { name: 'Created', kind: 'time', about: 'the time', optional: true },
]
const CSV = '"Id","Amount"\r\n"1","0.5"\r\n"2",""\r\n"","-1"\r\n'
const JSONL = [
  { Id: '1', Amount: '0.5' },
  { Id: '2', Amount: null },
  { Id: null, Amount: '-1' },
]
const LINES: ReportShape = { contentType: 'application/x-ndjson' }

/** Answers requests for the catalogue with one report, which has these formats. */
function describedAs(...formats: readonly string[]): Handler {
  const report = { reportIdentifier: 'list', title: 'A list', columns: COLUMNS, formats }
  const reports = [catalogued(report)]
  return (response, { path }) => {
    if (path.endsWith('/catalogue')) {
      sendAnswer(response, 200, { login: 'shop', role: 'merchant', reports })
    } else response.writeHead(404).end()
  }
}

function sendLines(response: ServerResponse, rows: readonly object[], shape?: ReportShape): void {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  sendReport(response, text, { ...LINES, rows: String(rows.length), ...shape })
}

/** The rows, and the code of the error at their end. */
async function read(
  client: CounterfoilClient,
  options?: Parameters<CounterfoilClient['rows']>[1],
): Promise<{ readonly rows: readonly object[]; readonly code: unknown }> {
  const rows: object[] = []
  try {
    for await (const row of client.rows('list', options)) rows.push(row)
    return { rows, code: undefined }
  } catch (error) {
    return { rows, code: error instanceof Error && 'code' in error ? error.code : error }
  }
}

test('asks for JSON lines', async () => {
  const handle: Handler = (response) => sendLines(response, JSONL)
  const gateway = await startGateway(handle, undefined, describedAs('CSV', 'JSONL'))
  expect(await read(connect(gateway), { dateFrom: '2026-10-01' })).toEqual({
    rows: JSONL,
    code: undefined,
  })
  expect(gateway.received.at(-1)?.request).toEqual({
    reportIdentifier: 'list',
    reportFormat: 'JSONL',
    inputReportParameters: [{ type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-10-01' }],
  })
})

test('asks for CSV that holds the same values, if the report has no JSON lines', async () => {
  const handle: Handler = (response) => sendReport(response, CSV)
  const gateway = await startGateway(handle, undefined, describedAs('CSV'))
  const rows = JSONL.map((row) => ({ ...row, Id: row.Id ?? '' }))
  expect(await read(connect(gateway))).toEqual({ rows, code: undefined })
  expect(gateway.received.at(-1)?.request?.configurationReportParameters).toMatchObject([
    { name: 'dateFormat', value: 'ISO' },
    { name: 'decimals', value: '0' },
  ])
})

test.each<[string, Handler]>([
  ['404', (response) => void response.writeHead(404).end()],
  ['405', (response) => void response.writeHead(405).end()],
])('reads texts from a gateway that answers %s for its catalogue', async (_, catalogue) => {
  const handle: Handler = (response) => sendReport(response, CSV)
  const gateway = await startGateway(handle, undefined, catalogue)
  const rows = JSONL.map(({ Id, Amount }) => ({ Id: Id ?? '', Amount: Amount ?? '' }))
  expect(await read(connect(gateway))).toEqual({ rows, code: undefined })
  expect(gateway.received.at(-1)?.request).toEqual({ reportIdentifier: 'list' })
})

test.each<[string, Handler, string]>([
  ['a refusal', (response) => refuse(response, 'signature'), 'not-authorised'],
  ['busy', (response) => void response.writeHead(503).end(), 'busy'],
  ['a failure', (response) => void response.writeHead(500).end('x'), 'unexpected-body'],
  ['a page', (response) => void response.writeHead(200).end('<p>'), 'unexpected-body'],
])('does not take %s for a gateway without a catalogue', async (_, catalogue, code) => {
  const handle: Handler = (response) => sendReport(response, CSV)
  const gateway = await startGateway(handle, undefined, catalogue)
  expect(await read(connect(gateway))).toEqual({ rows: [], code })
})

test('checks the columns before it gives a row', async () => {
  const handle: Handler = (response) => sendReport(response, CSV.replace('Amount', 'Other'))
  const gateway = await startGateway(handle, undefined, describedAs('CSV'))
  expect(await read(connect(gateway))).toEqual({ rows: [], code: 'unexpected-body' })
})

test('fails after the last row if the report is not complete', async () => {
  const shapes: readonly [ReportShape, string][] = [
    [{ rows: '4' }, 'digest-mismatch'],
    [{ digest: `sha-256=:${'A'.repeat(43)}=:` }, 'digest-mismatch'],
    [{ digest: undefined }, 'truncated'],
  ]
  let shape: ReportShape = {}
  const handle: Handler = (response) => sendLines(response, JSONL, shape)
  const gateway = await startGateway(handle, undefined, describedAs('JSONL'))
  for (const [faulty, code] of shapes) {
    shape = faulty
    expect(await read(connect(gateway))).toEqual({ rows: JSONL, code })
  }
})

test('fails where the connection is cut', async () => {
  const handle: Handler = (response) => {
    beginReport(response, LINES)
    response.write(`${JSON.stringify(JSONL[0])}\n{"Id":`, () => response.destroy())
  }
  const gateway = await startGateway(handle, undefined, describedAs('JSONL'))
  expect(await read(connect(gateway))).toEqual({ rows: JSONL.slice(0, 1), code: 'truncated' })
})

test('cancels the request when the loop is left', async () => {
  const { promise: isClosed, resolve } = Promise.withResolvers<boolean>()
  const handle: Handler = (response) => {
    response.once('close', () => resolve(!response.writableFinished))
    beginReport(response, LINES)
    response.write(`${JSON.stringify(JSONL[0])}\n`)
  }
  const gateway = await startGateway(handle, undefined, describedAs('JSONL'))
  for await (const row of connect(gateway).rows('list')) {
    expect(row).toEqual(JSONL[0])
    break
  }
  expect(await isClosed).toBe(true)
})

test('ends with the reason of a signal', async () => {
  const controller = new AbortController()
  const handle: Handler = (response) => {
    beginReport(response, LINES)
    response.write(`${JSON.stringify(JSONL[0])}\n`)
  }
  const gateway = await startGateway(handle, undefined, describedAs('JSONL'))
  const rows = connect(gateway).rows('list', {}, { signal: controller.signal })
  await rows.next()
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(rows.next()).rejects.toBe(reason)
})

test.each([
  [['PDF'], {}, 'expected a report as JSONL or CSV, got PDF'],
  [['CSV'], { columns: ['Created'], timezone: 'Europe/Riga' }, 'whose times have no offset'],
  [['JSONL'], { format: 'CSV' }, 'format: rows() sets it itself'],
  [['JSONL'], { configuration: { totals: 'only' } }, 'configuration: rows() sets it itself'],
])('sends no request for %j with %j', async (formats, options, message) => {
  const handle: Handler = (response) => sendReport(response)
  const gateway = await startGateway(handle, undefined, describedAs(...formats))
  await expect(connect(gateway).rows('list', options).next()).rejects.toMatchObject({
    code: 'invalid-settings',
    message: expect.stringContaining(message),
  })
  expect(gateway.received.filter(({ path }) => !path.endsWith('/catalogue'))).toEqual([])
})

test('times of CSV are in UTC', async () => {
  const csv = '"Created","Id"\r\n"2026-10-31 20:23:12","7"\r\n'
  const handle: Handler = (response) => sendReport(response, csv, { rows: '1' })
  const gateway = await startGateway(handle, undefined, describedAs('CSV'))
  expect(await read(connect(gateway), { columns: ['Created', 'Id'], timezone: 'UTC' })).toEqual({
    rows: [{ Created: '2026-10-31T20:23:12Z', Id: '7' }],
    code: undefined,
  })
})
