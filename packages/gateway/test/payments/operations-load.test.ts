// @module-tag long

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { serveInChild } from '../kit/child-gateway.ts'
import { byRef, findEndpointsIn, operate, reported } from '../kit/operate.ts'
import { makeSandbox } from '../kit/sandbox.ts'

const PER_SECOND = 200
const SECONDS = Number(process.env['OPERATIONS_SECONDS'] ?? 5)
const BATCH_MS = 50
/** A little more than the garbage that the runtime leaves in a minute of this load. */
const GROWTH_MIB_MAX = 250

test('loses and duplicates no operation at 200 a second, and limits its memory', async () => {
  const sandbox = await makeSandbox(1_000)
  const { merchant } = sandbox.logins
  const { own } = await findEndpointsIn(sandbox, merchant)
  const gateway = await serveInChild(sandbox)
  const sent: Promise<void>[] = []
  const ids: string[] = []
  const residentMiB: number[] = []
  const startedAt = performance.now()
  while (sent.length < PER_SECOND * SECONDS) {
    const due = Math.floor(((performance.now() - startedAt) * PER_SECOND) / 1000)
    while (sent.length < Math.min(due, PER_SECOND * SECONDS)) {
      sent.push(
        (async (orderId) => {
          const form = byRef(orderId, own)
          const answer = await operate(gateway, merchant, `v4/transfer-by-ref/${own.id}`, form)
          expect(answer.status).toBe(200)
          ids.push(JSON.parse(answer.text)['transaction-id'])
        })(`load-${sent.length}`),
      )
    }
    if (sent.length % 1_000 < 20) residentMiB.push(residentOf(gateway.pid))
    await sleep(BATCH_MS)
  }
  await Promise.all(sent)
  const rows = await reported(gateway, merchant)
  const inReport = rows.flatMap((row) =>
    row['Merchant_OID']?.startsWith('load-') ? [row['Transaction_id']] : [],
  )
  expect(new Set(inReport)).toEqual(new Set(ids))
  expect(inReport).toHaveLength(ids.length)
  const [first = 0] = residentMiB
  expect(Math.max(...residentMiB) - first).toBeLessThan(GROWTH_MIB_MAX)
  gateway.kill('SIGTERM')
  await gateway.ended
  sandbox.remove()
})

function residentOf(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kib) / 1024)
}
