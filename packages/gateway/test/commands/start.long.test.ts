// @module-tag long

import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { lockFolder } from '../../src/store/lock-folder.ts'
import { type ChildGateway, runCommand, serveInChild, startInChild } from '../kit/child-gateway.ts'
import { runHere } from '../kit/run-here.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

let sandbox: Sandbox
let reports: string
let child: ChildGateway
beforeAll(async () => {
  sandbox = await makeSandbox(1000)
  reports = join(sandbox.folder, 'own-reports')
  mkdirSync(reports)
  cpSync(join(sandbox.reports, 'transactions-list.yaml'), join(reports, 'transactions-list.yaml'))
})
// Each start checks every report file.
beforeEach(() => rmSync(join(sandbox.dataDir, 'report-checks.json'), { force: true }))
afterEach(async () => {
  child.kill('SIGKILL')
  await child.ended
})
afterAll(() => sandbox.remove())

test('a second gateway on the same data does not start, names the first, and does not take its commands', async () => {
  child = await serveInChild(sandbox, { reports })
  const second = runCommand(['serve', '--config', child.config])
  expect(await second.ended).toMatchObject({ code: 1 })
  expect(second.stderr()).toBe(
    `error: Another process (PID ${child.pid}) has the ledger in ${join(sandbox.dataDir, 'ledger')} open. Stop it first\n`,
  )
  expect(await runHere('reload', '--config', child.config)).toMatchObject({ code: 0 })
})

test('a gateway that gets SIGTERM during its start leaves no control socket', async () => {
  child = await startInChild(sandbox, { reports })
  await child.line(/"checking 1 report files/)
  child.kill('SIGTERM')
  expect(await child.ended).toMatchObject({ code: 0 })
  expect(existsSync(join(sandbox.dataDir, 'control.sock'))).toBe(false)
  expect(child.stdout()).toMatch(/"stopping"[^]*"listening on [^]*"stopped"/)
})

test('a starting gateway accepts reload, and does not end at SIGHUP', async () => {
  child = await startInChild(sandbox, { reports })
  for (const step of [/opening the ledger in/, /checking 1 report files/]) {
    await child.line(step)
    child.kill('SIGHUP')
  }
  // The gateway may log its steps before its socket is there.
  await expect.poll(() => existsSync(join(sandbox.dataDir, 'control.sock'))).toBe(true)
  expect(await runHere('reload', '--config', child.config)).toMatchObject({ code: 0, stderr: '' })
  // The reload is over only after the start.
  await child.line(/listening on /)
})

test('a start waits for a command that has the ledger open', async () => {
  const ledger = join(sandbox.dataDir, 'ledger')
  const release = lockFolder(ledger)
  child = await startInChild(sandbox, { reports })
  await child.line(/waiting for another process that has .*ledger open/)
  release?.()
  await child.line(/listening on /)
  expect(child.stdout().match(/waiting for another process/g)).toHaveLength(1)
  child.kill('SIGTERM')
  expect(await child.ended).toEqual({ code: 0, signal: null })
})
