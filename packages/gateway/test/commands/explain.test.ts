import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importControlKey } from '@counterfoil/signing'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { openStore } from '../../../store/src/store/open-store.ts'
import { type AskOptions, ask } from '../kit/ask.ts'
import { runHere } from '../kit/run-here.ts'
import { expectNoSecret } from '../kit/running-gateway.ts'
import { filesWith, type Login } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const PRODUCTION = {
  environment: 'production',
  publicUrl: 'https://reports.example.com',
  proxyEndsTls: true,
}
const CARD = '4111111111111111'

const { sandbox, gateway } = await serveSandbox([1000], PRODUCTION)
const { config } = gateway

/** Sends a request that is refused, as a proxy does that ends TLS. Returns its id. */
async function refuse(
  options: AskOptions = {},
  login: Login = sandbox.logins.merchant,
): Promise<string> {
  const { pathname } = new URL(gateway.reportUrl)
  const url = `http://127.0.0.1:${gateway.port}${pathname}${options.query ?? ''}`
  const answer = await ask(
    { sandbox, reportUrl: gateway.reportUrl },
    login,
    {},
    { url, ...options },
  )
  const [, requestId = ''] = /^Request id: (.*)\n$/m.exec(answer.text) ?? []
  expect(answer.text).toBe(
    `You are not authorised to perform this request.\nRequest id: ${requestId}\n`,
  )
  return requestId
}

const explain = async (requestId: string, ...options: readonly string[]) => {
  return await runHere('explain', requestId, '--config', config, ...options)
}

describe('of a refused request', () => {
  test('tells the step, the reason and the base string that the gateway built', async () => {
    const requestId = await refuse({ body: '{"other":1}', signing: { bodyHash: 'SHA-256' } })
    const { code, stdout } = await explain(requestId)
    expect(code).toBe(0)
    const [first, ...lines] = stdout.split('\n')
    const start = new RegExp(`^Request ${requestId}, refused at 20\\S+Z \\(body-hash-mismatch\\)$`)
    expect(first).toMatch(start)
    expect(lines.slice(0, 2)).toEqual([
      `Request: POST ${new URL(gateway.reportUrl).pathname}`,
      `Login that the request names: ${sandbox.logins.merchant.login}`,
    ])
    expect(stdout).toMatch(/\nStep that failed: body-hash\nReason: expected /)
    const target = encodeURIComponent(gateway.reportUrl)
    expect(stdout).toContain(
      `\nBase string that the gateway built:\nPOST&${target}&oauth_body_hash`,
    )
  })

  test('recognises a revoked key of the login', async () => {
    const login = await sandbox.addLogin('rotated', 'merchant', ['1'])
    const store = await openStore(loadConfig(config))
    const [key] = await store.listKeys(login.login)
    await store.revokeKey(key?.keyId ?? '', new Date())
    await store.close()
    const requestId = await refuse({}, login)
    const { stdout } = await explain(requestId)
    expect(stdout).toContain('\nStep that failed: consumer\n')
    expect(stdout).toContain(
      `\nMistake: You signed with the key ${key?.keyId}, which was revoked at 20`,
    )
    expect(stdout).toContain('\nFix: Sign with an active key of the login.\n')
  })

  test('compares the base string that the caller signed', async () => {
    const hmac = await importControlKey('a-key-of-another-login')
    const requestId = await refuse({}, { ...sandbox.logins.merchant, hmac })
    const unknown = await explain(requestId)
    expect(unknown.stdout).toContain('\nMistake: none that the gateway knows')
    const file = join(sandbox.folder, 'base-string')
    writeFileSync(file, `${unknown.stdout.trim().split('\n').at(-1)}\n`)
    const { stdout } = await explain(requestId, '--base-string', file)
    expect(stdout).toContain('\nMistake: Your base string is right, and the signature is not')
    expect(stdout).not.toContain('First difference')
    const missing = await explain(requestId, '--base-string', `${file}-x`)
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining('error: Cannot read the base string in '),
    ])
    writeFileSync(file, 'x'.repeat(LIMITS.refusedRequestBytesMax + 1))
    const long = await explain(requestId, '--base-string', file)
    expect([long.code, long.stderr]).toEqual([
      1,
      expect.stringContaining('it has more than 32 KiB'),
    ])
  })

  test('shows no card number, and nothing that controls the terminal', async () => {
    const large = await explain(
      await refuse({ login: 'nobody', query: `?x=${'a'.repeat(12_000)}` }),
    )
    expect(large.stdout).toContain('\nBase string that the gateway built, without its last')
    const login = `\u001B[31m${CARD}\u009B`
    const { stdout } = await explain(await refuse({ login, query: `?card=${CARD}` }))
    expect(stdout).toContain('Step that failed: consumer\n')
    expect(stdout).toContain('card%3D****************')
    expect(stdout).toContain('\nLogin that the request names: \uFFFD[31m****************\uFFFD\n')
    expect(stdout).not.toContain(CARD)
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/)
  })

  test('keeps it in memory only', async () => {
    const requestId = await refuse({ login: 'nobody', query: `?card=${CARD}` })
    expect((await explain(requestId)).stdout).toContain('Base string')
    expectNoSecret(gateway.log(), sandbox)
    expect(filesWith([...sandbox.secrets, CARD], sandbox.dataDir)).toEqual([])
  })
})

test('refuses an id that is not in memory, and says where to look', async () => {
  expect(await explain('no-such-id')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: There is no refused request no-such-id. The gateway keeps at most 256 refusals in memory. ' +
      'Its log has the step and the code of every refusal\n',
  })
})

test('says that no gateway runs', async () => {
  const dataDir = `${sandbox.folder}/other`
  const other = await sandbox.writeConfig({ ...PRODUCTION, dataDir })
  expect(await runHere('explain', 'x', '--config', other)).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: No gateway runs on ${other}. Start one with "counterfoil-gateway serve"\n`,
  })
})
