// @module-tag long

// The client in the middle of reports of a gateway that is killed.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CounterfoilClient } from '@counterfoil/client'
import { afterAll, expect, test } from 'vitest'
import { serveInChild } from '../kit/child-gateway.ts'
import { makeSandbox } from '../kit/sandbox.ts'

const sandbox = await makeSandbox(80_000)
const gateway = await serveInChild(sandbox)
afterAll(async () => {
  gateway.kill('SIGKILL')
  await gateway.ended
  sandbox.remove()
})

// Far more bytes than the connection holds for a reader that waits.
const COLUMNS =
  'Merchant_Name Transaction_id Merchant_OID Created_date Amount Currency Transaction_type Order_description ' +
  'Date_of_report Order_id Status Processed_date Card_brand Approval_code RRN Error_message'

test('fails for a report, a loop over rows and a file, and leaves no file', async () => {
  const { login, controlKey } = sandbox.logins.operator
  const client = new CounterfoilClient({
    endpoint: gateway.reportUrl,
    login,
    controlKey,
    retries: 0,
  })
  const before = readdirSync(sandbox.folder)
  const { body } = await client.report('transactions-list', { columns: COLUMNS.split(' ') })
  const reader = body.getReader()
  await reader.read()
  const rows = client.rows('transactions-list', { columns: COLUMNS.split(' ') })
  await rows.next()

  const target = join(sandbox.folder, 'killed.csv')
  const downloading = client.download(
    'transactions-list',
    { columns: COLUMNS.split(' ') },
    target,
    {
      onProgress: () => gateway.kill('SIGKILL'),
    },
  )
  await expect(downloading).rejects.toMatchObject({ code: 'truncated', reason: 'cut' })
  const rest = (async () => {
    while (!(await reader.read()).done);
  })()
  await expect(rest).rejects.toMatchObject({ code: 'truncated', reason: 'cut' })
  const others = (async () => {
    for await (const _ of rows);
  })()
  await expect(others).rejects.toMatchObject({ code: 'truncated' })
  expect(readdirSync(sandbox.folder)).toEqual(before)
})
