// @module-tag long

import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { read, send, type SignedRequest, signRequest } from '../kit/ask.ts'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { freePort } from '../kit/free-port.ts'
import { type PostgresServer, startPostgres } from '../kit/postgres-server.ts'
import { runHere } from '../kit/run-here.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

// `REPLAYS=10000` for a long run.
const REPLAYS = Number(process.env['REPLAYS'] ?? 400)
/** How often each request is sent again. */
const TIMES = 5
const AT_ONCE = 8

let postgres: PostgresServer
let sandbox: Sandbox
/** The ports of two gateways, of which one may be dead. */
let ports: readonly [number, number]
const running = new Map<number, ChildGateway>()
beforeAll(async () => {
  ;[postgres, sandbox] = await Promise.all([startPostgres(), makeSandbox(1_000, [])])
  const config = await sandbox.writeConfig({ store: { postgres: postgres.settings } })
  const { code, stderr } = await runHere('store', 'copy', '--to', 'postgres', '--config', config)
  if (code !== 0) throw new Error(stderr)
  ports = [await freePort(), await freePort()]
  for (const port of ports) await start(port)
})
afterAll(async () => {
  for (const gateway of running.values()) await kill(gateway)
  sandbox.remove()
  await postgres.remove()
})

/** Starts the gateway of a port. All have one address, one store, and each its own ledger. */
async function start(port: number): Promise<void> {
  const dataDir = port === ports[0] ? sandbox.dataDir : join(sandbox.folder, 'second')
  const change = { publicUrl: `http://127.0.0.1:${ports[0]}`, dataDir }
  const listen = { host: '127.0.0.1', port }
  const store = { postgres: postgres.settings }
  running.set(port, await serveInChild(sandbox, { ...change, listen, store }))
}

async function kill(gateway: ChildGateway): Promise<void> {
  gateway.kill('SIGKILL')
  await gateway.ended
}

/** Sends a request to a gateway, and returns whether it was accepted. A dead gateway accepts nothing. */
async function isAccepted(request: SignedRequest, port: number): Promise<boolean> {
  const url = new URL(request.url)
  url.port = String(port)
  try {
    const { status } = await read(await send({ ...request, url: url.href }))
    return status === 200
  } catch {
    return false
  }
}

test('two gateways on one PostgreSQL accept a request once, though either is killed again and again', async () => {
  const { merchant } = sandbox.logins
  const reportUrl = `http://127.0.0.1:${ports[0]}/ui/services/v2/rpt-engine/catalogue`
  const requests = REPLAYS / TIMES
  let answered = 0
  const accepted: number[] = []
  const over = new AbortController()
  const load = Array.from({ length: AT_ONCE }, async () => {
    while (answered < requests) {
      answered += 1
      const request = await signRequest({ sandbox, reportUrl }, merchant, {})
      const sent = Array.from({ length: TIMES + 1 }, (_, at) => {
        return isAccepted(request, ports[at % 2 === 0 ? 0 : 1])
      })
      const again = await isAccepted(request, ports[randomInt(2) === 0 ? 0 : 1])
      accepted.push([...(await Promise.all(sent)), again].filter(Boolean).length)
    }
  })
  let kills = 0
  const killing = (async () => {
    for (; !over.signal.aborted; kills += 1) {
      const port = ports[kills % 2 === 0 ? 0 : 1]
      await sleep(randomInt(300, 1_500))
      const gateway = running.get(port)
      if (gateway) await kill(gateway)
      await start(port)
    }
  })()
  await Promise.all(load)
  over.abort()
  await killing
  expect(Math.max(...accepted)).toBe(1)
  // Most requests found a living gateway.
  expect(accepted.filter((times) => times === 1).length).toBeGreaterThan(accepted.length / 2)
  expect(kills).toBeGreaterThan(0)
  if (REPLAYS > 1000) console.log(`${accepted.length} requests, ${kills} kills`)
})
