// @module-tag long

import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CounterfoilClient } from '@counterfoil/client'
import { expect, test } from 'vitest'
import type { ReportRequest } from '@counterfoil/protocol'
import { isInstalled } from '../../../signing/test/is-installed.ts'
import { ask, open, parameters, problemIn, read, signRequest } from '../kit/ask.ts'
import { freePort } from '../kit/free-port.ts'
import { readMetrics } from '../kit/read-metrics.ts'
import { serve, untilRunning } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** Makes the request for a report that breaks at a line of the list of transactions. */
const breaksAt = (line = ''): ReportRequest => {
  const number = Number(/"ORD-(\d+)"/.exec(line)?.[1])
  return {
    reportIdentifier: 'late-failure',
    ...parameters({ breaksAt: String(700_000_000 + number) }),
  }
}

// Many more rows than the engine computes ahead of a reader.
const metricsPort = await freePort()
const { sandbox, gateway } = await serveSandbox([80_000], {
  engine: { sessions: 1 },
  metrics: { port: metricsPort },
})
const list = await ask(gateway, sandbox.logins.operator)
const late = breaksAt(list.text.trimEnd().split('\r\n').at(-1))

test('cuts off a report that breaks after its first byte, without an end or trailers', async () => {
  const answer = await open(gateway, sandbox.logins.operator, late)
  expect(answer.statusCode).toBe(200)
  await expect(read(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(answer.complete).toBe(false)
  expect(answer.trailers).toEqual({})
  await expect.poll(() => gateway.lines().at(-1)).toMatchObject({ status: 200, outcome: 'aborted' })
  const cut = 'counterfoil_reports_total{report="late-failure",format="CSV",outcome="cut"}'
  expect(await readMetrics(metricsPort)).toMatchObject({
    [cut]: 1,
    counterfoil_reports_cut_total: 1,
  })
})

test('shows a broken report as an error in curl and in fetch', async ({ skip }) => {
  skip(!isInstalled('curl'), 'curl is not installed')
  const { url, headers, body } = await signRequest(gateway, sandbox.logins.operator, late)
  const options = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const asked = ['-sS', '-o', '/dev/null', '--data-binary', String(body), ...options, url]
  const curl = promisify(execFile)('curl', asked)
  // 18: "A file transfer was shorter or larger than expected".
  await expect(curl).rejects.toMatchObject({ code: 18 })

  const again = await signRequest(gateway, sandbox.logins.operator, late)
  const fetched = await fetch(again.url, { ...again, body: String(again.body) })
  expect(fetched.status).toBe(200)
  await expect(fetched.text()).rejects.toThrow('terminated')
})

test('throws in the client for a broken report, and leaves no file', async () => {
  const { login, controlKey } = sandbox.logins.operator
  const client = new CounterfoilClient({ endpoint: gateway.reportUrl, login, controlKey })
  const before = readdirSync(sandbox.folder)
  const saving = client.download(late, {}, join(sandbox.folder, 'report.csv'))
  await expect(saving).rejects.toMatchObject({ code: 'truncated' })
  expect(readdirSync(sandbox.folder)).toEqual(before)
})

test('answers a report that breaks before its first byte with a problem, without engine details', async () => {
  const early = breaksAt(list.text.split('\r\n')[1])
  const answer = await ask(gateway, sandbox.logins.operator, early)
  expect(answer.status).toBe(500)
  expect(problemIn(answer)).toMatchObject({ code: 'engine-failed' })
  expect(answer.text).not.toContain('Division by zero')
  expect(gateway.log()).toContain('Division by zero')
  // The next report holds nothing of the broken one.
  const next = await ask(gateway, sandbox.logins.operator)
  expect(next.bytes.equals(list.bytes)).toBe(true)
})

test('cuts off a report whose query the operator kills', async () => {
  const wide = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }
  const answer = await open(gateway, sandbox.logins.operator, wide)
  const other = await serve(sandbox)
  await other.engine.execute(
    "KILL QUERY WHERE query LIKE '%repeat%' AND query NOT LIKE '%KILL%' ASYNC",
  )
  const length = read(answer).then(({ bytes }) => bytes.length)
  await expect(length).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(await untilRunning(other.engine, 0)).toBeLessThan(5_000)
  await other.close()
})
