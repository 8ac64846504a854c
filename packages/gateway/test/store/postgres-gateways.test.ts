// @module-tag long

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { type Answer, ask, LIST, problemIn, read, send, signRequest } from '../kit/ask.ts'
import { byRef, findEndpoints, operate, type OwnEndpoint, reported } from '../kit/operate.ts'
import { type PostgresServer, startPostgres } from '../kit/postgres-server.ts'
import { runHere } from '../kit/run-here.ts'
import { type RunningGateway, serve } from '../kit/running-gateway.ts'
import { filesWith, type Login, makeSandbox, type Sandbox } from '../kit/sandbox.ts'

let postgres: PostgresServer
let sandbox: Sandbox
let gateways: readonly [RunningGateway, RunningGateway]
let own: OwnEndpoint
beforeAll(async () => {
  ;[postgres, sandbox] = await Promise.all([startPostgres(), makeSandbox(1_000)])
  const config = await sandbox.writeConfig(onPostgres())
  const { code, stderr } = await runHere('store', 'copy', '--to', 'postgres', '--config', config)
  if (code !== 0) throw new Error(stderr)
})
afterAll(async () => {
  const leaked = filesWith([...sandbox.cardNumbers], postgres.folder)
  sandbox.remove()
  await postgres.remove()
  if (leaked.length > 0) throw new Error(`expected no card number in ${leaked.join()}`)
})
beforeEach(async () => {
  const first = await serve(sandbox, onPostgres())
  const publicUrl = new URL(first.reportUrl).origin
  gateways = [first, await serve(sandbox, { ...onPostgres(), publicUrl })]
  ;({ own } = await findEndpoints(first.engine, sandbox.logins.merchant))
})
afterEach(async () => {
  for (const gateway of gateways) await gateway.close()
})

const onPostgres = (): object => ({ store: { postgres: postgres.settings } })

/** The URL of a request at one of the gateways; both verify the same signature. */
function urlAt(index: 0 | 1, url: string): string {
  const moved = new URL(url)
  moved.port = String(gateways[index].port)
  return moved.href
}

function askAt(index: 0 | 1, login: Login): Promise<Answer> {
  const { reportUrl } = gateways[0]
  return ask(gateways[0], login, LIST, { url: urlAt(index, reportUrl) })
}

function transfer(index: 0 | 1, orderId: string) {
  const path = `v4/transfer-by-ref/${own.id}`
  const url = urlAt(index, `${new URL(gateways[0].reportUrl).origin}/gate/api/${path}`)
  return operate(gateways[0], sandbox.logins.merchant, path, byRef(orderId, own), { url })
}

describe('two gateways on one PostgreSQL', () => {
  test('accept each request once between them', async () => {
    const isReport = ({ headers }: Answer): boolean => {
      return headers['content-type'] === 'text/csv; charset=UTF-8'
    }
    for (let round = 0; round < 10; round += 1) {
      const request = await signRequest(gateways[0], sandbox.logins.merchant, LIST)
      const urls = [0, 1, 0, 1].map((index) => urlAt(index === 0 ? 0 : 1, request.url))
      const answers = await Promise.all(
        urls.map(async (url) => await read(await send({ ...request, url }))),
      )
      expect(answers.filter(isReport)).toHaveLength(1)
      const refused = answers.filter((answer) => !isReport(answer))
      for (const { text } of refused) expect(text).toContain('Step that failed: nonce\n')
    }
  })

  test('accept an operation once between them, and give both callers the same answer', async () => {
    const orders = Array.from({ length: 20 }, (_, index) => `both-${index}`)
    for (const order of orders) {
      const [one, two] = await Promise.all([transfer(0, order), transfer(1, order)])
      expect(one.status).toBe(200)
      expect(two.text).toBe(one.text)
    }
    const rows = await reported(gateways[0], sandbox.logins.merchant)
    const shown = rows.filter((row) => row['Merchant_OID']?.startsWith('both-'))
    expect(shown).toHaveLength(orders.length)
    expect(new Set(shown.map((row) => row['Merchant_OID']))).toEqual(new Set(orders))
    expect(new Set(shown.map((row) => row['Transaction_id'])).size).toBe(orders.length)
  })

  test('both refuse a key from the moment in which a command revokes it', async () => {
    const { reseller } = sandbox.logins
    for (const index of [0, 1] as const) {
      expect((await askAt(index, reseller)).trailers).toHaveProperty('repr-digest')
    }
    const config = await sandbox.writeConfig(onPostgres())
    const { stdout } = await runHere('keys', 'list', 'reseller', '--json', '--config', config)
    const [{ keyId }] = JSON.parse(stdout)
    await runHere('keys', 'revoke', keyId, '--config', config)
    for (const index of [0, 1] as const) {
      expect((await askAt(index, reseller)).text).toContain('Step that failed: consumer\n')
    }
  })
})

describe('while PostgreSQL is away', () => {
  test('requests get 503 with Retry-After, and the next one succeeds without a restart', async () => {
    const { operator } = sandbox.logins
    expect(await transfer(0, 'before')).toMatchObject({ status: 200 })
    await postgres.stop()
    const retry = { 'retry-after': String(LIMITS.retryAfterSeconds) }
    for (const index of [0, 1] as const) {
      const answer = await askAt(index, operator)
      expect(answer).toMatchObject({ status: 503, headers: retry })
      expect(problemIn(answer)).toMatchObject({ code: 'store-busy' })
      expect(answer.text).not.toContain('ECONNREFUSED')
      const health = await fetch(urlAt(index, new URL('/livez', gateways[0].reportUrl).href))
      expect(health.status).toBe(200)
    }
    const operation = await transfer(0, 'meanwhile')
    expect(operation).toMatchObject({ status: 503, headers: retry })
    expect(JSON.parse(operation.text)).toMatchObject({ 'error-code': '202' })
    expect(gateways[0].log()).toContain('ECONNREFUSED')

    await postgres.start()
    for (const index of [0, 1] as const) {
      expect((await askAt(index, operator)).trailers).toHaveProperty('repr-digest')
    }
    const kept = async (order: string) => {
      const rows = await reported(gateways[0], sandbox.logins.merchant)
      return rows.filter((row) => row['Merchant_OID'] === order).length
    }
    expect([await kept('before'), await kept('meanwhile')]).toEqual([1, 0])
    expect(await transfer(1, 'meanwhile')).toMatchObject({ status: 200 })
    expect(await kept('meanwhile')).toBe(1)
  })

  test('no operation is lost that was accepted, and a retry repeats none', async () => {
    const answers = new Map<string, string>()
    const failed: string[] = []
    const over = new AbortController()
    const load = async (index: 0 | 1): Promise<void> => {
      for (let at = 0; !over.signal.aborted; at += 1) {
        const order = `outage-${index}-${at}`
        const answer = await transfer(index, order)
        if (answer.status === 200) answers.set(order, answer.text)
        else failed.push(order)
        expect([200, 503]).toContain(answer.status)
        await sleep(5)
      }
    }
    const loads = [load(0), load(1), load(0), load(1)]
    await sleep(500)
    await postgres.stop()
    await sleep(300)
    await postgres.start()
    await sleep(500)
    over.abort()
    await Promise.all(loads)
    expect(failed.length).toBeGreaterThan(0)
    for (const order of failed) {
      const answer = await transfer(1, order)
      expect(answer.status).toBe(200)
      answers.set(order, answers.get(order) ?? answer.text)
      expect(answer.text).toBe(answers.get(order))
    }
    const rows = await reported(gateways[1], sandbox.logins.merchant)
    const shown = rows.flatMap((row) => {
      return row['Merchant_OID']?.startsWith('outage-') ? [row['Transaction_id']] : []
    })
    const ids = [...answers.values()].map((answer) => JSON.parse(answer)['transaction-id'])
    expect(shown).toHaveLength(ids.length)
    expect(new Set(shown)).toEqual(new Set(ids))
  })
})
