import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { beginReport, connect, CSV, sendReport, startGateway } from './fixture-gateway.ts'

const REQUEST = { reportIdentifier: 'transactions-list' }

test('times out if the gateway sends nothing', async () => {
  let bytes: string | undefined
  const gateway = await startGateway((response) => {
    if (bytes === undefined) return
    beginReport(response)
    if (bytes) response.write(bytes)
  })
  const client = await connect(gateway, { idleTimeoutMs: 200 })
  const silence = { code: 'connection', message: 'the gateway sent nothing for 0.2 s' }
  await expect(client.requestReport(REQUEST)).rejects.toMatchObject(silence)
  for (bytes of ['', CSV]) {
    const { body } = await client.requestReport(REQUEST)
    await expect(text(body)).rejects.toMatchObject(silence)
  }
})

test('does not time out while the reader pauses', async () => {
  const csv = `"Id"\r\n${'"a row"\r\n'.repeat(100_000)}`
  const gateway = await startGateway((response) => sendReport(response, csv, { rows: '100000' }))
  const client = await connect(gateway, { idleTimeoutMs: 400 })
  const { body, completed } = await client.requestReport(REQUEST)
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
  const client = await connect(gateway)
  await expect(client.requestReport(REQUEST, before)).rejects.toBe(reason)
  const { body } = await client.requestReport(REQUEST, within)
  const reading = text(body)
  within.abort(reason)
  await expect(reading).rejects.toBe(reason)
  const aborted = AbortSignal.abort(reason)
  await expect(client.requestReport(REQUEST, { signal: aborted })).rejects.toBe(reason)
  expect(gateway.received).toHaveLength(2)
})

test('closes the connection when the reader leaves, even if the gateway sends nothing', async () => {
  const gone = Promise.withResolvers<void>()
  const gateway = await startGateway((response) => {
    beginReport(response)
    response.write(CSV)
    response.once('close', gone.resolve)
  })
  const client = await connect(gateway)
  const { body, completed } = await client.requestReport(REQUEST)
  body.resume()
  await once(body, 'data')
  body.destroy()
  await gone.promise
  await expect(completed).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' })
})
