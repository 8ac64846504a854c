// @module-tag long

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { importControlKey, sign } from '@counterfoil/signing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { controlSocketFile, loadConfig } from '../../src/config/config.ts'
import { LIST, read, send } from '../kit/ask.ts'
import { type Command, runCommand } from '../kit/child-gateway.ts'
import { startServer, type TestServer } from '../kit/clickhouse-server.ts'
import { freePort } from '../kit/free-port.ts'
import { type PostgresServer, startPostgres } from '../kit/postgres-server.ts'
import { runHere } from '../kit/run-here.ts'

// Runs the servers of deploy/compose.yaml with its files, without containers. Only hosts, ports and folders differ.

const ROOT = join(import.meta.dirname, '../../../..')
const COMPOSE = join(ROOT, 'deploy/compose')
const PAGE = readFileSync(join(ROOT, 'docs/containers.md'), 'utf8')
const REPORT = `${LIST.reportIdentifier}.yaml`
const BASE_USERS = `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users><default>
    <password/>
    <networks><ip>::/0</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
  </default></users>
</clickhouse>`

let folder: string
let postgres: PostgresServer
let clickHouse: TestServer
let configs: readonly string[]
let gateways: readonly Command[]
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  for (const user of ['gateway', 'postgres', 'clickhouse']) mkdirSync(join(folder, user))
  createSecrets()
  // One report, because the check of a report takes seconds.
  cpSync(join(ROOT, 'reports', REPORT), join(folder, 'reports', REPORT))
  postgres = await startPostgres()
  for (const statement of databaseStatements()) await postgres.query(statement)
  clickHouse = await startClickHouse()
  configs = [await writeConfig(1), await writeConfig(2)]
  const first = await serve(configs[0])
  gateways = [first, await serve(configs[1])]
})
afterAll(async () => {
  for (const gateway of gateways) gateway.kill('SIGTERM')
  await Promise.all(gateways.map((gateway) => gateway.ended))
  await clickHouse.remove()
  await postgres.remove()
  rmSync(folder, { recursive: true })
})

test('the user of the gateways is no superuser of PostgreSQL', async () => {
  const sql = `SELECT rolsuper, rolcreatedb FROM pg_roles WHERE rolname = 'counterfoil'`
  expect(await postgres.query(sql)).toEqual([{ rolsuper: false, rolcreatedb: false }])
})

test('the user without a password connects from the same container only', async () => {
  const sql = `SELECT host_ip, host_names FROM system.users WHERE name = 'default'`
  expect(await clickHouse.run(sql)).toBe("[]\t['localhost']\n")
})

test('the commands of the page lead to the same report from both gateways', async () => {
  const [, insert = ''] = /<<'SQL'\n([^]*?)^SQL$/m.exec(PAGE) ?? []
  await clickHouse.run(insert)

  const [added, keyed] = [...PAGE.matchAll(/[; ]?gateway ((?:logins|keys) .*?)(?: >.*)?$/gm)].map(
    ([, line = '']) => line.split(' '),
  )
  const { code, stderr } = await runOnFirst(added)
  expect([code, stderr]).toEqual([0, expect.stringContaining('audit')])
  const { stdout } = await runOnFirst(keyed)
  const key = await importControlKey(stdout.trim())

  const [, endpoint = ''] = /--endpoint (\S+)/.exec(PAGE) ?? []
  const texts = []
  for (const config of configs) {
    const body = Buffer.from(JSON.stringify(LIST))
    const message = { method: 'POST', url: endpoint, contentType: 'application/json', body }
    const { authorization } = await sign(message, { consumerKey: 'audit', key })
    const headers = { Authorization: authorization, 'Content-Type': message.contentType }
    const url = new URL(endpoint)
    url.port = String(loadConfig(config).listen.port)
    const answer = await read(await send({ ...message, url: url.href, headers }))
    expect([answer.text, answer.trailers['counterfoil-rows']]).toEqual([expect.any(String), '2'])
    texts.push(answer.text)
  }
  expect(texts[0]).toContain('"first"')
  expect(texts[0]).toContain('"second"')
  expect(texts[1]).toBe(texts[0])
})

test('status reaches each gateway through its new data folder, and counts the rows', async () => {
  for (const [index, config] of configs.entries()) {
    const { code, stdout } = await runHere('status', '--config', config)
    expect(code).toBe(0)
    expect(stdout).toContain(`process ${gateways[index]?.pid}, `)
    expect(stdout).toMatch(/^transactions +2 /m)
    const { mode } = statSync(dirname(controlSocketFile(loadConfig(config))))
    expect(mode & 0o777).toBe(0o700)
  }
})

/** Runs the script of the service `secrets`. */
function createSecrets(): void {
  execFileSync('sh', [join(COMPOSE, 'create-secrets.sh'), folder])
}

function secret(file: string): string {
  return readFileSync(join(folder, file), 'utf8')
}

/** Returns the statements that PostgreSQL's image runs, with the password that psql inserts. */
function databaseStatements(): readonly string[] {
  const text = readFileSync(join(COMPOSE, 'create-database.sql'), 'utf8')
  const [, file = ''] = /^\\set password `cat \/run\/counterfoil\/(.*)`$/m.exec(text) ?? []
  return text
    .replaceAll(/^(\\|--).*$/gm, '')
    .replace(":'password'", `'${secret(join('postgres', file))}'`)
    .split(';')
    .filter((statement) => statement.trim() !== '')
}

/** Starts the ClickHouse server with the files of compose.yaml. */
async function startClickHouse(): Promise<TestServer> {
  const merged = join(folder, 'merged')
  for (const name of ['config.d', 'users.d']) {
    cpSync(join(COMPOSE, name), join(merged, name), { recursive: true })
  }
  change(join(merged, 'config.d/counterfoil.xml'), (text) =>
    here(text, 'clickhouse').replace(/<logger>.*<.logger>/s, ''),
  )
  change(join(merged, 'users.d/counterfoil.xml'), (text) =>
    here(text, 'clickhouse').replaceAll(/<host>[\w-]+<.host>/g, '<ip>127.0.0.1</ip>'),
  )
  return await startServer({ users: BASE_USERS, merged })
}

/** Writes the configuration of a gateway, with the addresses of this machine. */
async function writeConfig(number: number): Promise<string> {
  const [port, file] = [await freePort(), join(folder, `gateway-${number}.yaml`)]
  cpSync(join(COMPOSE, 'gateway.yaml'), file)
  const { port: postgresPort } = new URL(postgres.settings.url)
  change(file, (text) =>
    here(text, 'gateway')
      .replace('{ host: 0.0.0.0, port: 8080 }', `{ host: 127.0.0.1, port: ${port} }`)
      .replace('/var/lib/counterfoil', join(folder, `data-${number}`))
      .replace('/opt/counterfoil/reports', join(folder, 'reports'))
      .replace('@postgres:5432', `@127.0.0.1:${postgresPort}`)
      .replace('http://clickhouse:8123', clickHouse.url),
  )
  return file
}

/** Replaces the folder in which a container finds its secrets. */
function here(text: string, user: string): string {
  return text.replaceAll('/run/counterfoil', join(folder, user))
}

function change(file: string, edit: (text: string) => string): void {
  writeFileSync(file, edit(readFileSync(file, 'utf8')))
}

async function serve(config = ''): Promise<Command> {
  const command = runCommand(['serve', '--config', config])
  await command.line(/"listening on /)
  return command
}

/** Runs a command of the page with the configuration of the first gateway. */
async function runOnFirst(args: readonly string[] = []) {
  const [config = ''] = configs
  const command = runCommand(
    args.map((arg) => (arg === '/etc/counterfoil/gateway.yaml' ? config : arg)),
  )
  const { code } = await command.ended
  return { code, stdout: command.stdout(), stderr: command.stderr() }
}
