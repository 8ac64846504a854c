import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endOf, MAIN, runHere, startChild } from '../../../counterfoil/test/run-command.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { sandbox, gateway } = await serveSandbox([1000])
const { merchant } = sandbox.logins

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs `counterfoil` in the folder, which also holds its profiles. */
const run = (
  args: readonly string[],
  options: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {},
) => runHere(args, { folder, ...options })

/** Runs `counterfoil` in a process of its own. */
function runApart(args: readonly string[], input = '') {
  const child = startChild(args, { folder })
  child.stdin?.end(input)
  return endOf(child)
}

const terminalEnv = () => ({
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  XDG_CONFIG_HOME: folder,
})

const answers = (key: string) => `${gateway.reportUrl}\n${merchant.login}\n${key}\n`
const profileFile = (name = 'default') => join(folder, 'counterfoil', `${name}.json`)

/** Writes the default profile of the merchant. */
function writeProfile(): void {
  spawnSync('mkdir', ['-p', join(folder, 'counterfoil')])
  const { login, controlKey } = merchant
  const profile = { endpoint: gateway.reportUrl, login, controlKey }
  writeFileSync(profileFile(), JSON.stringify(profile), { mode: 0o600 })
}

test('init writes a profile from piped answers, and every command takes it', async () => {
  const init = await runApart(['init'], answers(merchant.controlKey))
  expect(init).toMatchObject({ code: 0, stdout: '' })
  expect(init.stderr).toContain(`The gateway accepts ${merchant.login}, which may ask for `)
  expect(init.stderr).toContain(`Wrote ${profileFile()}. Only you may read it.`)
  expect(init.stderr).not.toContain(merchant.controlKey)
  expect(statSync(profileFile()).mode & 0o777).toBe(0o600)
  const report = [
    'report',
    'transactions-list',
    '--from',
    '2026-10-30',
    '-o',
    '{report}-{from}.csv',
  ]
  expect(await runApart(report)).toMatchObject({ code: 0 })
  expect(readdirSync(folder)).toContain('transactions-list-2026-10-30.csv')
})

test('init takes a key file from an answer, and everything from options', async () => {
  const keyFile = join(folder, 'key.pem')
  writeFileSync(keyFile, merchant.privateKey)
  const asked = await run(['init', '--profile', 'rsa'], { input: answers('key.pem') })
  expect(asked).toMatchObject({ code: 0, stderr: expect.stringContaining('holds a private key') })
  expect(JSON.parse(readFileSync(profileFile('rsa'), 'utf8'))).toEqual({
    endpoint: gateway.reportUrl,
    login: merchant.login,
    privateKeyFile: keyFile,
  })
  const options = ['--endpoint', gateway.reportUrl, '--login', merchant.login]
  const all = await run(['init', ...options, '--private-key', 'key.pem'])
  expect(all).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Report URL') })
  expect(readFileSync(profileFile(), 'utf8')).toBe(readFileSync(profileFile('rsa'), 'utf8'))
})

test('init finds the report URL of a base URL, and other commands name it', async () => {
  const base = new URL('/', gateway.reportUrl).href
  const root = answers(merchant.controlKey).replace(gateway.reportUrl, base)
  expect(await run(['init'], { input: root })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`The report URL of this gateway is ${gateway.reportUrl}.\n`),
  })
  expect(JSON.parse(readFileSync(profileFile(), 'utf8'))).toMatchObject({
    endpoint: gateway.reportUrl,
  })
  const readOnly = new URL('/.well-known/counterfoil', base).href
  for (const endpoint of [base, readOnly]) {
    expect(await run(['report', 'daily-totals', '--endpoint', endpoint])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`Use --endpoint ${gateway.reportUrl}.`),
    })
  }
})

test('tells a merchant who signs localhost the address of the gateway', async () => {
  writeProfile()
  const endpoint = gateway.reportUrl.replace('127.0.0.1', 'localhost')
  const { stderr } = await run(['report', 'transactions-list', '--endpoint', endpoint])
  const { origin } = new URL(gateway.reportUrl)
  expect(stderr).toContain(
    `the gateway's address is ${origin}. Use --endpoint ${gateway.reportUrl}.\n`,
  )
})

test('init writes nothing that the gateway refuses, and says what was wrong', async () => {
  const wrong = await run(['init'], { input: answers('wrong') })
  expect(wrong).toMatchObject({ code: 3, stdout: '' })
  expect(wrong.stderr).toContain('Next: check the login, the key')
  expect(wrong.stderr).toContain('No profile was written.')
  expect(await run(['init'], { input: gateway.reportUrl })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the input ended before the answer to "Login:"'),
  })
  const missing = { input: answers('./key.pem') }
  expect(await run(['init'], missing)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('cannot read the file of the key'),
  })
  expect(readdirSync(folder)).toEqual([])
  const untried = await run(['init', '--no-try'], { input: answers('wrong') })
  expect(untried).toMatchObject({ code: 0 })
})

test('init replaces a profile only when told', async () => {
  writeProfile()
  expect(await run(['init'], { input: answers(merchant.controlKey) })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('already exists. To replace it, add --overwrite'),
  })
  const again = await run(['init', '--overwrite'], { input: answers(merchant.controlKey) })
  expect(again).toMatchObject({ code: 0 })
})

const hasScript = spawnSync('script', ['--version']).status === 0

test.skipIf(!hasScript)('a terminal never shows the key', async () => {
  const command = `${process.execPath} ${MAIN} init`
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, env: terminalEnv() })
  const printed = text(child.stdout)
  let seen = ''
  const typed = [gateway.reportUrl, merchant.login, merchant.controlKey]
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString()
    // A question ends in ": " and the movement of the cursor behind it.
    if (!/: (?:\x1b\[\d+G)?$/.test(seen)) return
    seen = ''
    child.stdin.write(`${typed.shift()}\r`)
  })
  expect(await printed).toContain(merchant.login)
  expect(await printed).toContain(`Wrote ${profileFile()}`)
  expect(await printed).not.toContain(merchant.controlKey)
})

test('reports lists what the merchant may ask for, and describes one', async () => {
  writeProfile()
  const all = await run(['reports'])
  expect(all).toMatchObject({ code: 0, stderr: '' })
  expect(all.stdout).toMatch(/^REPORT +TITLE +FORMATS\n/)
  expect(all.stdout).toMatch(/^transactions-list +Transactions +CSV XLSX /m)
  const one = await run(['reports', 'transactions-list'])
  expect(one.stdout).toMatch(/^transactions-list: Transactions\n\n/)
  expect(one.stdout).toContain('\nNote: Declined transactions are among the rows')
  expect(one.stdout).toMatch(/^ {2}Amount +money +the amount/m)
  expect(one.stdout).toMatch(/^ {2}--from +The start of the period/m)
  expect(one.stdout).toMatch(/^ {2}--parameter statuses= +Only these statuses \(a list/m)
  expect(one.stdout).toMatch(/^ {2}decimals= +Minimum fraction digits/m)
  expect(one.stdout).toContain('one of ".", ","')
  const example = /^ {2}(counterfoil report .*)$/m.exec(one.stdout)?.[1] ?? ''
  expect(await run([...example.split(' ').slice(1), '-o', 'x.csv'])).toMatchObject({ code: 0 })
  expect(await run(['reports', 'none'])).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(
      /^counterfoil: merchant has no report none; it has .*transactions-list/,
    ),
  })
  const json = JSON.parse((await run(['reports', '--json'])).stdout)
  expect(json).toMatchObject({ login: 'merchant', role: 'merchant' })
})

test('lists runs, prints the manifest of one, and verifies the file with it', async () => {
  writeProfile()
  const report = ['report', 'transactions-list', '--from', '2026-10-30', '-o', 'x.csv', '--json']
  const { runId, rows } = JSON.parse((await run(report)).stdout)
  // The gateway waits for a run that is not saved yet if a caller asks for that run, but not for the list.
  const manifest = JSON.parse((await run(['manifest', runId])).stdout)
  expect(manifest).toMatchObject({ runId, login: merchant.login, file: { rows } })
  const runs = await run(['runs', '--limit', '1'])
  expect(runs).toMatchObject({ code: 0, stderr: '' })
  expect(runs.stdout).toMatch(/^STARTED +RUN +REPORT +OUTCOME +ROWS +SIZE\n/)
  expect(runs.stdout).toMatch(
    new RegExp(`^\\S+Z  ${runId}  transactions-list +complete +${rows} `, 'm'),
  )
  const unknown = await run(['manifest', '5d1f1c1e-6a53-4c39-b1a4-5b1bbd1f2d0e'])
  expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining('check the RUN') })
  const asked = await run(['verify', 'x.csv', '--run', runId])
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('the SHA-256 agrees') })
})
