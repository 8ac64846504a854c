import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { sendRecords, startGateway } from '../../client/test/fixture-gateway.ts'
import { merchantEnv } from './fixture.ts'
import { runHere } from './run-command.ts'

test('describes a report of a gateway whose catalogue has the least', async () => {
  const gateway = await startGateway(() => {}, undefined, sendRecords)
  const env = merchantEnv(gateway)
  const one = await runHere(['reports', 'transactions-list'], { folder: tmpdir(), env })
  expect(one).toMatchObject({ code: 0, stderr: '' })
  expect(one.stdout).toMatch(/^ {2}Words +text +some words$/m)
  const all = await runHere(['reports'], { folder: tmpdir(), env })
  expect(all.stdout).toMatch(/^daily-totals +Totals of each day +CSV$/m)
})
