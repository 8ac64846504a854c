// @module-tag long

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { folder, useFolder } from './fixture.ts'
import { CHILD_ENV, endOf, MAIN } from './run-command.ts'

const ORDERS = 1_000_000
/** 5,000,000 orders on each side took 389 MB. A `Map` of this number takes more than this limit. */
const KILOBYTES_MAX = 500_000

useFolder()

async function write(name: string, header: string, lineOf: (index: number) => string) {
  const file = createWriteStream(join(folder, name))
  file.write(`${header}\n`)
  for (let index = 0; index < ORDERS; ) {
    let text = ''
    for (const end = Math.min(ORDERS, index + 5000); index < end; index += 1) text += lineOf(index)
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}

const idOf = (index: number) => `order-${index.toString(36)}-${(index * 7919) % 104_729}`
const amountOf = (index: number) => `${index % 10_000}.${String(index % 100).padStart(2, '0')}`

test('compares a million orders on each side in bounded memory, and finds the three that differ', async () => {
  await write('report.csv', '"Merchant_OID","Amount","Currency","Transaction_type"', (index) => {
    const amount = index === 777_777 ? '1.11' : amountOf(index)
    return `"${idOf(index)}","${amount}","EUR","sale"\n`
  })
  // The same orders in another order. The prime number is no divisor of their number.
  await write('orders.csv', 'order_id;total;currency', (place) => {
    const index = (place * 48_271) % ORDERS
    const id = index === 123_456 ? 'another' : idOf(index)
    return `${id};${amountOf(index).replace('.', ',')};EUR\n`
  })
  const program = "process.on('exit',()=>console.error(process.resourceUsage().maxRSS))"
  const options = ['--import', `data:text/javascript,${program}`, MAIN]
  const command = ['reconcile', 'report.csv', '--orders', 'orders.csv', '-o', 'differences.csv']
  const child = spawn(process.execPath, [...options, ...command], { cwd: folder, env: CHILD_ENV })
  const { code, stdout, stderr } = await endOf(child)
  expect(stdout).toContain('\n999,998 orders agree, 3 differ.\n')
  expect(code).toBe(1)
  const rows = parse(await readFile(join(folder, 'differences.csv')))
  expect(rows.map(([id, kinds]) => `${id} ${kinds}`).toSorted()).toEqual([
    'Order_id Difference',
    'another missing-in-report',
    `${idOf(123_456)} missing-in-orders`,
    `${idOf(777_777)} amount`,
  ])
  expect(Number(stderr)).toBeGreaterThan(0)
  expect(Number(stderr)).toBeLessThan(KILOBYTES_MAX)
})
