// @module-tag long

import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { ask, readCatalogue } from '../kit/ask.ts'
import { type ChildGateway, serveInChild } from '../kit/child-gateway.ts'
import { makeCertificate } from '../../../client/test/make-certificate.ts'
import { freePort } from '../kit/free-port.ts'
import { runHere } from '../kit/run-here.ts'
import { useSandbox } from '../kit/served-sandbox.ts'

const sandbox = await useSandbox(1000)
const LIST = 'transactions-list.yaml'
const reports = join(sandbox.folder, 'own-reports')
mkdirSync(reports)
resetReport()
/** The last gateway. Tests that need no other gateway share it. */
let child: ChildGateway
let isRunning = false
afterEach(resetReport)
afterAll(() => stop('SIGKILL'))

function resetReport(): void {
  cpSync(join(sandbox.reports, LIST), join(reports, LIST))
}

function changeReport(from: string, to: string): void {
  const text = readFileSync(join(reports, LIST), 'utf8')
  expect(text).toContain(from)
  writeFileSync(join(reports, LIST), text.replace(from, to))
}

/** Starts a gateway unless one runs, and returns its configuration. */
async function start(change: object = {}): Promise<string> {
  if (isRunning) return child.config
  child = await serveInChild(sandbox, { reports, ...change })
  isRunning = true
  return child.config
}

async function stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  child.kill(signal)
  const code = signal === 'SIGTERM' ? 0 : null
  expect(await child.ended).toMatchObject({ code })
  isRunning = false
}

/** Makes the next start check every report file. */
function forgetChecks(): void {
  rmSync(join(sandbox.dataDir, 'report-checks.json'), { force: true })
}

test('a start logs each of its steps, and the second start remembers the checks', async () => {
  forgetChecks()
  await start()
  const steps = (log: string) => log.split('\n').map((line) => JSON.parse(line).msg)
  expect(steps(child.stdout())).toEqual([
    `opening the ledger in ${join(sandbox.dataDir, 'ledger')}`,
    'checking 1 report files',
    expect.stringMatching(/^listening on /),
  ])
  await stop('SIGTERM')
  expect(existsSync(join(sandbox.dataDir, 'control.sock'))).toBe(false)
  await start()
  expect(steps(child.stdout())).toContain('all 1 report files passed their check before')
})

test('reload loads the changed report files, and prints what it loaded', async () => {
  const config = await start()
  expect(statSync(join(sandbox.dataDir, 'control.sock')).mode & 0o777).toBe(0o600)
  changeReport('title: Transactions', 'title: Payments')
  expect(await runHere('reload', '--config', config)).toEqual({
    code: 0,
    stdout: 'Loaded 1 reports: transactions-list.\nChecked 1 of 1 report files.\n',
    stderr: '',
  })
})

test('reload names every fault with file and line, ends with 1, and changes nothing', async () => {
  const config = await start()
  changeReport('sql: amount', 'sql: amonut')
  writeFileSync(join(reports, 'other.yaml'), 'identifier: other\n')
  try {
    const { code, stderr } = await runHere('reload', '--config', config)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: .*\/other\.yaml:1: /)
    expect(stderr).toMatch(/^.*\/transactions-list\.yaml:\d+: columns\[4\]\.sql: .*amonut/m)
    expect(stderr).toMatch(/\nThe gateway keeps its old reports\.\n$/)
    expect((await ask(child, sandbox.logins.merchant)).status).toBe(200)
  } finally {
    rmSync(join(reports, 'other.yaml'))
  }
})

test('SIGHUP loads the report files again, and keeps all reports if a file is broken', async () => {
  await start()
  const reload = async (says: RegExp): Promise<readonly string[]> => {
    child.kill('SIGHUP')
    await child.line(says)
    const { reports: loaded } = await readCatalogue(child, sandbox.logins.operator)
    return loaded.map(({ reportIdentifier }) => reportIdentifier)
  }
  const others = ['large-row.yaml', 'wide-rows.yaml']
  for (const name of others) cpSync(join(sandbox.reports, name), join(reports, name))
  const all = ['large-row', 'transactions-list', 'wide-rows']
  expect(await reload(/loaded 3 reports again/)).toEqual(all)
  rmSync(join(reports, 'large-row.yaml'))
  expect(await reload(/loaded 2 reports again/)).toEqual(all.slice(1))
  changeReport('sql: amount', 'sql: amonut')
  expect(await reload(/amonut.*reports stay as they were/)).toEqual(all.slice(1))
  expect((await ask(child, sandbox.logins.operator)).status).toBe(200)
  rmSync(join(reports, 'wide-rows.yaml'))
})

test('reports list opens no engine if every report file was checked before', async () => {
  const config = await start()
  const { login } = sandbox.logins.merchant
  // A separate engine would need a folder here.
  vi.stubEnv('TMPDIR', join(sandbox.folder, 'no-such-folder'))
  try {
    expect(await runHere('reports list', '--config', config, '--for', login)).toEqual({
      code: 0,
      stdout: expect.stringContaining('transactions-list'),
      stderr: '',
    })
  } finally {
    vi.unstubAllEnvs()
  }
})

const WARNING = 'Warning: The ledger has no transactions of merchants 8888, 9999.\n'

/** Adds a login of unknown ids, and one of a known id. Returns the warnings. */
async function addLogins(config: string, name: string): Promise<readonly string[]> {
  const add = (login: string, ...sees: readonly string[]) => {
    return runHere('logins add --role merchant', login, '--config', config, ...sees)
  }
  const added = [
    await add(`${name}-1`, '--sees', '9999,1,8888'),
    await add(`${name}-2`, '--sees', '1'),
  ]
  expect(added.map(({ code }) => code)).toEqual([0, 0])
  return added.flatMap(({ stderr }) => stderr.match(/^Warning: .*\n/gm) ?? [])
}

test('logins add warns of ids that the ledger of a running gateway does not have', async () => {
  expect(await addLogins(await start(), 'beside')).toEqual([WARNING])
})

test('reload says that no gateway runs, also after kill -9', async () => {
  const config = await start()
  await stop('SIGKILL')
  expect(existsSync(join(sandbox.dataDir, 'control.sock'))).toBe(true)
  expect(await runHere('reload', '--config', config)).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: No gateway runs on ${config}. Start one with "counterfoil-gateway serve"\n`,
  })
})

test('logins add warns of ids that the ledger does not have without a running gateway', async () => {
  if (isRunning) await stop('SIGKILL')
  expect(await addLogins(await sandbox.writeConfig(), 'alone')).toEqual([WARNING])
})

async function makePair(commonName: string, expired = false) {
  const name = expired ? 'expired' : 'tls'
  const made = await makeCertificate(sandbox.folder, commonName, { name, expired })
  return { certificate: made.certificateFile, key: made.keyFile }
}

test('reload loads a new certificate, keeps open connections, and keeps the old certificate if the new one is broken', async () => {
  const tls = await makePair('first')
  const port = await freePort()
  const publicUrl = `https://127.0.0.1:${port}`
  const listen = { host: '127.0.0.1', port }
  const config = await start({ tls, publicUrl, listen })
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    return socket
  }
  const nameNow = async () => {
    const socket = await open()
    const { CN } = socket.getPeerCertificate().subject
    socket.destroy()
    return CN
  }
  // The gateway before was killed, and left its control socket.
  expect(await runHere('reload', '--config', config)).toMatchObject({ code: 0 })
  const before = await open()
  expect(await nameNow()).toBe('first')

  await makePair('second')
  const reloaded = await runHere('reload', '--config', config)
  expect(reloaded.code).toBe(0)
  expect(reloaded.stdout).toMatch(
    new RegExp(`Loaded the certificate ${tls.certificate}, valid until 20\\d\\d-`),
  )
  expect(await nameNow()).toBe('second')
  before.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
  const [answer] = await once(before, 'data')
  expect(String(answer)).toContain('200 OK')
  before.destroy()

  await makePair('third')
  writeFileSync(tls.certificate, 'no certificate')
  changeReport('title: Transactions', 'title: Payments')
  const broken = await runHere('reload', '--config', config)
  expect(broken.code).toBe(1)
  expect(broken.stderr).toBe(
    `error: tls.certificate: ${tls.certificate} holds no certificate in PEM.\n` +
      'The gateway keeps its old certificate.\n',
  )
  expect(child.stdout()).toContain('the certificate is broken: the old one stays in use')
  expect(child.stdout()).not.toContain('PRIVATE KEY')
  expect(await nameNow()).toBe('second')

  const old = await makePair('gateway', true)
  cpSync(old.certificate, tls.certificate)
  cpSync(old.key, tls.key)
  const expired = await runHere('reload', '--config', config)
  expect(expired.code).toBe(1)
  expect(expired.stderr).toContain(
    `error: The certificate in ${tls.certificate} expired on 2025-02-01.\n`,
  )
  expect(await nameNow()).toBe('second')
})
