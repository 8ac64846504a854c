import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCENARIOS } from '../../src/payments/simulate.ts'
import { serveInChild } from '../kit/child-gateway.ts'
import { byRef, findEndpointsIn, operate, operationUrl, type OwnEndpoint } from '../kit/operate.ts'
import { serve } from '../kit/running-gateway.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

const readPage = (name: string) => {
  return readFileSync(join(import.meta.dirname, `../../../../docs/${name}.md`), 'utf8')
}

const PAGE = readPage('sandbox')

let sandbox: Sandbox
let own: OwnEndpoint
beforeAll(async () => {
  sandbox = await makeSandbox(1_000)
  ;({ own } = await findEndpointsIn(sandbox, sandbox.logins.merchant))
})
afterAll(() => sandbox.remove())

test('runs the first hour of docs/sandbox.md', async ({ skip }) => {
  const isMissing = ['openssl', 'curl'].some((program) => {
    return spawnSync(program, ['version']).error !== undefined
  })
  skip(isMissing, 'curl or openssl is not installed')
  const { login, controlKey } = sandbox.logins.merchant
  const gateway = await serveInChild(sandbox)
  const settings = [
    `api=${operationUrl(gateway, '').replace(/\/api\/$/, '')}`,
    `report=${gateway.reportUrl} login=${login}`,
    `key=${controlKey} endpoint=${own.id} currency=${own.currency}`,
  ]
  const [, ...blocks] = [...PAGE.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block)
  const { stdout, stderr } = spawnSync('sh', ['-eu'], {
    cwd: sandbox.folder,
    input: [...settings, blocks.join('echo; echo ----\n')].join('\n'),
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  const [, refused = '', accepted = '', row = ''] = stdout.split('----\n')
  expect(refused.split('\n').slice(1, 4)).toEqual(
    /^Mistake: [^]*\n(?=Request id)/m.exec(PAGE)?.[0].trim().split('\n'),
  )
  expect(refused).toMatch(/^You are not authorised [^]*\nStep that failed: signature\n[^]*\n403\n/)
  const answer = JSON.parse(accepted)
  expect(answer).toMatchObject({
    type: 'async-response',
    'client-order-id': expect.stringMatching(/^first-/),
  })
  expect(row.split(',')).toContain(`"${answer['transaction-id']}"`)
  expect(row).toContain('"approved","","Coffee"')
  gateway.kill('SIGTERM')
  await gateway.ended
})

test('takes the form of docs/signing.md, and answers the error of docs/errors.md', async () => {
  const [, body = ''] = /^(client_orderid=\S+)$/m.exec(readPage('signing')) ?? []
  const [example = '{}'] = /^\{"type":"validation-error".*$/m.exec(readPage('errors')) ?? []
  const gateway = await serve(sandbox)
  const { merchant } = sandbox.logins
  const form = Object.fromEntries(new URLSearchParams(body))
  const answer = await operate(gateway, merchant, `v2/pan-eligibility/send/${own.id}`, form)
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
    200,
    { type: 'pan-eligibility-response', 'client-order-id': form['client_orderid'] },
  ])
  const [, sample = ''] = /```js send-with-http.mjs\n([^]*?)```/.exec(readPage('signing')) ?? []
  const pairs = [...sample.matchAll(/^  '?([a-z_-]+)'?: '(.*?)',/gm)].map(([, name, value]) => [
    name,
    value,
  ])
  const sent = { ...Object.fromEntries(pairs), currency: own.currency }
  const transferred = await operate(gateway, merchant, `v4/transfer-by-ref/${own.id}`, sent)
  expect([pairs.length, transferred.status]).toEqual([5, 200])
  const wrong = byRef('wrong', own, { currency: 'XTS' })
  const refused = await operate(gateway, merchant, `v4/transfer-by-ref/${own.id}`, wrong)
  const { 'serial-number': _, ...expected } = JSON.parse(example)
  expect(JSON.parse(refused.text.replaceAll(own.currency, 'EUR'))).toMatchObject(expected)
  await gateway.close()
})

test('lists exactly the test cards and amounts with their outcomes in docs/sandbox.md', () => {
  const canSend: Readonly<Record<string, string>> = {
    approved: 'true',
    error: '`error`',
    unknown: '`unknown`',
    processing: '`unknown`',
  }
  const rows = [...PAGE.matchAll(/^\| `(9001\d{12})` \| `(\d+)` \| (.+) \|$/gm)]
  expect(rows.map(([, card, amount, outcome]) => [card, amount, outcome])).toEqual(
    SCENARIOS.map(({ card, amount, reason, afterSeconds }) => {
      const { status, error, message } = reason
      const final = afterSeconds > 0 ? `processing, then ${status}` : status
      const sends = canSend[afterSeconds > 0 ? 'processing' : status] ?? 'false'
      const cells = [final, error ?? '', message ?? '', sends]
      return [card, amount, cells.join(' | ')]
    }),
  )
})
