import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import { RunningReports } from './running-reports.ts'

function makeResponse(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()))
}

test('waits for a received request until its response closes', async () => {
  const running = new RunningReports()
  await running.whenNone()
  const response = makeResponse()
  const signal = running.watch(response)
  running.begin(response)
  const over = vi.fn<() => void>()
  const waiting = running.whenNone().then(over)
  await new Promise(setImmediate)
  expect(over).not.toHaveBeenCalled()
  expect(signal.aborted).toBe(false)
  response.emit('close')
  await waiting
  expect(signal.aborted).toBe(true)
})

test('aborts a request whose connection is closed already, and does not wait for it', async () => {
  const running = new RunningReports()
  const response = makeResponse()
  response.destroy()
  expect(running.watch(response).aborted).toBe(true)
  running.begin(response)
  await running.whenNone()
})

test('does not wait for a request that is still being received, and can abort it', async () => {
  const running = new RunningReports()
  const signal = running.watch(makeResponse())
  await running.whenNone()
  running.abort()
  expect(signal.aborted).toBe(true)
})

test('aborts all running requests', () => {
  const running = new RunningReports()
  const signals = [makeResponse(), makeResponse()].map((response) => running.watch(response))
  running.abort()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
})
