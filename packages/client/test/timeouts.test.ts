import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { beginReport, connect, CSV, sendReport, startGateway } from './fixture-gateway.ts'

test('times out if the gateway sends nothing', async () => {
  let bytes: string | undefined
  const client = connect(
    await startGateway((response) => {
      if (bytes === undefined) return
      beginReport(response)
      if (bytes) response.write(bytes)
    }),
    { idleTimeoutMs: 200 },
  )
  const silence = { code: 'timed-out', message: 'the gateway sent nothing for 0.2 s' }
  await expect(client.report('transactions-list')).rejects.toMatchObject(silence)
  for (bytes of ['', CSV]) {
    const { body } = await client.report('transactions-list')
    await expect(text(body)).rejects.toMatchObject(silence)
  }
})

test('fails at once if the gateway changes the protocol', async () => {
  const client = connect(
    await startGateway((response) => {
      response.socket?.end(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
      )
    }),
  )
  await expect(client.report('transactions-list')).rejects.toMatchObject({
    code: 'network-error',
    message: expect.stringContaining('the connection was closed'),
  })
})

test('does not time out while the reader pauses', { tags: ['long'] }, async () => {
  const csv = `"Id"\r\n${'"a row"\r\n'.repeat(100_000)}`
  const client = connect(
    await startGateway((response) => sendReport(response, csv, { rows: '100000' })),
    { idleTimeoutMs: 400 },
  )
  const { body, completed } = await client.report('transactions-list')
  let pauses = 0
  for await (const _ of body) {
    if (pauses < 2) await sleep(600)
    pauses += 1
  }
  expect(pauses).toBeGreaterThan(2)
  expect(await completed).toMatchObject({ rows: 100_000 })
})

test('fails with the reason of the signal: before the request, before the answer, and within it', async () => {
  const reason = new Error('enough')
  const [before, within] = [new AbortController(), new AbortController()]
  const gateway = await startGateway((response) => {
    if (before.signal.aborted) beginReport(response)
    else before.abort(reason)
  })
  const client = connect(gateway)
  await expect(client.report('transactions-list', {}, before)).rejects.toBe(reason)
  const { body } = await client.report('transactions-list', {}, within)
  const reading = text(body)
  within.abort(reason)
  await expect(reading).rejects.toBe(reason)
  const aborted = AbortSignal.abort(reason)
  await expect(client.report('transactions-list', {}, { signal: aborted })).rejects.toBe(reason)
  expect(gateway.received).toHaveLength(2)
})

test('closes the connection when the reader leaves, even if the gateway sends nothing', async () => {
  const gone = Promise.withResolvers<void>()
  const client = connect(
    await startGateway((response) => {
      beginReport(response)
      response.write(CSV)
      response.once('close', gone.resolve)
    }),
  )
  const { body, completed } = await client.report('transactions-list')
  const reader = body.getReader()
  await reader.read()
  const silent = reader.read()
  await reader.cancel()
  await gone.promise
  expect(await silent).toMatchObject({ done: true })
  await expect(completed).rejects.toMatchObject({ code: 'truncated', reason: 'cancelled' })
})
