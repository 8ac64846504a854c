import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { CounterfoilClient } from '../src/index.ts'
import {
  ACCEPTED,
  apiUrlOf,
  beginReport,
  connect,
  CONTROL_KEY,
  CSV,
  type Handler,
  LOGIN,
  sendAnswer,
  sendRecords,
  sendReport,
  startGateway,
  folder,
  useFolder,
} from './fixture-gateway.ts'

useFolder()

const status = (code: number): Handler => {
  return (response) => void response.writeHead(code, { 'Retry-After': '0' }).end()
}

const cut: Handler = (response) => {
  beginReport(response)
  response.write(CSV.slice(0, 20), () => response.destroy())
}

/** Handles each request with the next handler, and all further requests with the last. */
function inTurn(...handlers: readonly Handler[]): Handler {
  let turn = 0
  return (response, received) => {
    turn += 1
    return handlers[Math.min(turn, handlers.length) - 1]?.(response, received)
  }
}

const report: Handler = (response) => sendReport(response)

test.each<[string, Handler]>([
  ['429', status(429)],
  ['502', status(502)],
  ['503', status(503)],
  ['504', status(504)],
  ['a connection that breaks before the answer', (response) => void response.destroy()],
])('retries after %s, and signs each attempt anew', async (_, handle) => {
  const gateway = await startGateway(inTurn(handle, report))
  const { body } = await connect(gateway, { retries: 1 }).report('x')
  expect(await text(body)).toBe(CSV)
  const signatures = gateway.received.map(({ headers }) => headers.authorization)
  expect(new Set(signatures).size).toBe(2)
})

test('saves only the bytes of the attempt that arrived whole', { tags: ['long'] }, async () => {
  const gateway = await startGateway(inTurn(cut, cut, report))
  const file = join(folder, 'may.csv')
  const saved = await connect(gateway, { retries: 2 }).download('x', {}, file)
  expect(saved.bytes).toBe(Buffer.byteLength(CSV))
  expect(await readFile(file, 'utf8')).toBe(CSV)
  expect(await readdir(folder)).toEqual(['may.csv'])
})

test('names the first cause when the gateway is gone for the retries', async () => {
  const gateway = await startGateway((response) => {
    beginReport(response)
    response.write('x'.repeat(4_100_000))
  })
  const onProgress = (bytes: number) => {
    if (bytes === 4_100_000) void gateway.close()
  }
  const file = join(folder, 'may.csv')
  const saving = connect(gateway, { retries: 1 }).download('x', {}, file, { onProgress })
  await expect(saving).rejects.toMatchObject({
    code: 'truncated',
    message: expect.stringMatching(
      /^the connection was cut after 4\.1 MB, .*; the retries failed: no answer from .*ECONNREFUSED/,
    ),
  })
})

test('does not retry a stream whose bytes it has given away', async () => {
  const gateway = await startGateway(inTurn(cut, report))
  const { body } = await connect(gateway, { retries: 2 }).report('x')
  await expect(text(body)).rejects.toMatchObject({ code: 'truncated', reason: 'cut' })
  expect(gateway.received).toHaveLength(1)
})

test('retries questions too, and gives up after as many attempts as it may make', async () => {
  const client = connect(await startGateway(report, undefined, inTurn(status(503), sendRecords)), {
    retries: 1,
  })
  expect((await client.catalogue()).login).toBe(LOGIN)
  const busy = await startGateway(status(503))
  await expect(connect(busy, { retries: 1 }).report('x')).rejects.toMatchObject({ code: 'busy' })
  expect(busy.received).toHaveLength(2)
})

test.each<[string, Handler]>([
  ['a busy gateway', status(503)],
  ['a connection that breaks', (response) => void response.destroy()],
])('repeats no operation after %s', async (_, handle) => {
  const accept: Handler = (response) => sendAnswer(response, 200, ACCEPTED)
  const gateway = await startGateway(inTurn(handle, accept))
  const merchant = { login: LOGIN, controlKey: CONTROL_KEY }
  const { payments } = new CounterfoilClient({ apiUrl: apiUrlOf(gateway), ...merchant })
  await expect(payments.call('payout', '1', {})).rejects.toMatchObject({
    code: expect.stringMatching(/busy|network-error/),
  })
  expect(gateway.received).toHaveLength(1)
})

test('stops waiting for the next attempt when it is aborted', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const gateway = await startGateway((response) => {
    response.writeHead(503, { 'Retry-After': '60' }).end(() => controller.abort(reason))
  })
  const { signal } = controller
  const asking = connect(gateway, { retries: 2 }).report('x', {}, { signal })
  await expect(asking).rejects.toBe(reason)
})
