import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ask, LIST, signRequest } from '../kit/ask.ts'
import { serve } from '../kit/running-gateway.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'

const PROTOCOL = readFileSync(join(import.meta.dirname, '../../../../docs/protocol.md'), 'utf8')
const OLD = '/old/rpt-engine'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await makeSandbox(1000)
})
afterAll(() => sandbox.remove())

test('answers refusals with status 403 if configured, on old paths too, and says so in discovery', async () => {
  const oldReportPaths = [{ path: OLD, deprecatedSince: '2026-01-01' }]
  const gateway = await serve(sandbox, { refusalStatus: 403, oldReportPaths })
  onTestFinished(() => gateway.close())
  const { origin } = new URL(gateway.reportUrl)
  for (const reportUrl of [gateway.reportUrl, origin + OLD]) {
    const asked = { sandbox, reportUrl }
    const refused = await ask(asked, sandbox.logins.merchant, LIST, { login: 'nobody' })
    expect(refused.status).toBe(403)
    expect(refused.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(refused.text).toMatch(/^You are not authorised/)
    expect((await ask(asked, sandbox.logins.merchant)).status).toBe(200)
  }
  const discovery = await (await fetch(`${origin}/.well-known/counterfoil`)).json()
  expect(discovery).toMatchObject({ refusalStatus: 403 })
})

test.each([200, 403])(
  'distinguishes a report from a refusal with status %d by the script of docs/protocol.md',
  async (refusalStatus) => {
    const [, script = ''] = /^```sh\n(type=[^]*?)^```$/m.exec(PROTOCOL) ?? []
    expect(script).toContain('%{content_type}')
    const gateway = await serve(sandbox, { refusalStatus })
    onTestFinished(() => gateway.close())
    const run = async (login: string, change = '') => {
      const { url, headers, body } = await signRequest(gateway, sandbox.logins.merchant, LIST, {
        login,
      })
      const env = {
        ...process.env,
        url,
        authorization: headers['Authorization'],
        body: body.toString(),
      }
      const changed = script.replace('digest=', () => `${change}\ndigest=`)
      const shell = spawn('sh', ['-c', changed], { cwd: sandbox.folder, env })
      const [stderr, [status]] = await Promise.all([text(shell.stderr), once(shell, 'close')])
      return { status, stderr }
    }
    expect(await run('merchant')).toMatchObject({ status: 0, stderr: '' })
    const report = join(sandbox.folder, 'report.csv')
    const saved = readFileSync(report, 'utf8')
    expect(saved).toMatch(/^"Merchant_Name",/)
    expect(await run('nobody')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^You are not authorised/),
    })
    const cut = await run('merchant', 'echo >> report.csv.part')
    expect(cut).toMatchObject({ status: 1, stderr: 'the report is not complete\n' })
    expect(readFileSync(report, 'utf8')).toBe(saved)
  },
)
