import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { CounterfoilClient } from '../src/index.ts'
import {
  beginReport,
  connect,
  type Handler,
  type ReportShape,
  sendReport,
  startGateway,
} from './fixture-gateway.ts'

const JSONL = [
  { Id: '1', Amount: '0.5' },
  { Id: '2', Amount: null },
  { Id: null, Amount: '-1' },
]
const LINES: ReportShape = { contentType: 'application/x-ndjson' }

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
  const gateway = await startGateway(handle)
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

test('fails after the last row if the report is not complete', async () => {
  const shapes: readonly [ReportShape, string][] = [
    [{ rows: '4' }, 'digest-mismatch'],
    [{ digest: `sha-256=:${'A'.repeat(43)}=:` }, 'digest-mismatch'],
    [{ digest: undefined }, 'truncated'],
  ]
  let shape: ReportShape = {}
  const handle: Handler = (response) => sendLines(response, JSONL, shape)
  const gateway = await startGateway(handle)
  for (const [faulty, code] of shapes) {
    shape = faulty
    expect(await read(connect(gateway))).toEqual({ rows: JSONL, code })
  }
})

test('refuses a line that is not JSON, after the rows before it', async () => {
  const gateway = await startGateway((response) => {
    const text = [...JSONL.map((row) => JSON.stringify(row)), '{"Id":'].join('\n')
    sendReport(response, `${text}\n`, { ...LINES, rows: '4' })
  })
  expect(await read(connect(gateway))).toEqual({ rows: JSONL, code: 'unexpected-body' })
})

test('fails where the connection is cut', async () => {
  const handle: Handler = (response) => {
    beginReport(response, LINES)
    response.write(`${JSON.stringify(JSONL[0])}\n{"Id":`, () => response.destroy())
  }
  const gateway = await startGateway(handle)
  expect(await read(connect(gateway))).toEqual({ rows: JSONL.slice(0, 1), code: 'truncated' })
})

test('cancels the request when the loop is left', async () => {
  const { promise: isClosed, resolve } = Promise.withResolvers<boolean>()
  const handle: Handler = (response) => {
    response.once('close', () => resolve(!response.writableFinished))
    beginReport(response, LINES)
    response.write(`${JSON.stringify(JSONL[0])}\n`)
  }
  const gateway = await startGateway(handle)
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
  const gateway = await startGateway(handle)
  const rows = connect(gateway).rows('list', {}, { signal: controller.signal })
  await rows.next()
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(rows.next()).rejects.toBe(reason)
})
