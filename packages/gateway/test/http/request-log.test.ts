// @module-tag long

// The log of a process of its own. answers-and-log.test.ts reads the log of a gateway in its process.

import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { open } from '../kit/ask.ts'
import { serveInChild } from '../kit/child-gateway.ts'
import { makeSandbox } from '../kit/sandbox.ts'

test('writes only lines of JSON in a process of its own', async () => {
  const sandbox = await makeSandbox(1000)
  onTestFinished(() => sandbox.remove())
  const child = await serveInChild(sandbox)
  await text(await open(child, sandbox.logins.merchant))
  child.kill('SIGTERM')
  expect(await child.ended).toEqual({ code: 0, signal: null })
  const messages = child
    .stdout()
    .split('\n')
    .map((line) => JSON.parse(line).msg)
  expect(messages).toEqual([
    expect.stringMatching(/^opening the ledger in /),
    expect.stringMatching(/^all \d+ report files passed their check before$/),
    expect.stringMatching(/^listening on /),
    'request',
    'stopping',
    'stopped',
  ])
  expect(child.stderr()).toBe('')
})
