import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type ReportColumns, reportRights } from '../../../engine/src/engine/access.ts'
import { freePort } from './free-port.ts'

/** The user of the tests, with its password. */
export const USER = { user: 'counterfoil', password: "a 'password': ü" } as const

/** Settings of the user's profile that the gateway must not be affected by. */
const PROFILE = {
  result_overflow_mode: 'break',
  timeout_overflow_mode: 'break',
  limit: 3,
  offset: 1,
  extremes: 1,
  session_timezone: 'Asia/Tokyo',
  http_send_timeout: 1,
  http_write_exception_in_output_format: 1,
  max_query_size: 10_000,
}

/** The columns of the tests of an engine, without a ledger. */
export const READABLE: ReportColumns = { readable: ['n'] }

const SERVERS_PAGE = join(import.meta.dirname, '../../../../docs/servers.md')

/** The files and ports of a server. */
interface ServerFiles {
  /** The content of its `users.xml`. */
  readonly users: string
  /** Elements of its `config.xml`. */
  readonly config?: string
  /** The port for other servers. */
  readonly tcpPort?: number
  /** A folder with `config.d` and `users.d`, which the server merges into the two files. */
  readonly merged?: string
}

/**
 * Starts the ClickHouse of chdb's library as a server in a new folder. It has the database `default`, and the user and
 * the roles of docs/servers.md.
 *
 * @param columns other columns for the role of reports. The owner then has all rights.
 */
export async function startClickHouse(columns?: ReportColumns) {
  return await startServer({ users: usersXml(columns) })
}

/** Writes the user's password to a file of a folder. Returns the settings of a gateway with these servers. */
export function clusterOf(folder: string, ...servers: readonly Pick<TestServer, 'url'>[]) {
  const passwordFile = join(folder, 'clickhouse-password')
  writeFileSync(passwordFile, `${USER.password}\n`, { mode: 0o600 })
  return { urls: servers.map(({ url }) => url), user: USER.user, passwordFile }
}

/** Starts a server with its own files. */
export async function startServer({ users, config = '', tcpPort, merged }: ServerFiles) {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  if (merged !== undefined) cpSync(merged, folder, { recursive: true })
  const port = await freePort()
  const listen = `SYSTEM START LISTEN HTTP; ${tcpPort ? 'SYSTEM START LISTEN TCP; ' : ''}`
  const child = fork(
    fileURLToPath(import.meta.resolve('../../../engine/src/own-server/run-server.ts')),
    [
      `--config-file=${writeConfig(folder, users, config)}`,
      `--path=${join(folder, 'data')}`,
      `--http_port=${port}`,
      ...(tcpPort ? [`--tcp_port=${tcpPort}`] : []),
      '--listen_host=127.0.0.1',
      '--multiquery',
      '--query',
      `${listen}SELECT sleepEachRow(1) FROM system.numbers FORMAT Null SETTINGS max_block_size = 1`,
    ],
    { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  )
  const url = `http://127.0.0.1:${port}`
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const run = async (sql: string): Promise<string> => {
    const response = await fetch(url, { method: 'POST', body: sql })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return text
  }
  await untilReady(url, child)
  return {
    url,
    /** Runs a statement as the server's administrator, and returns its result as text. */
    run,
    /** Stops the process, so that it neither runs nor ends. */
    freeze: () => void child.kill('SIGSTOP'),
    kill,
    /** Kills the process and removes its files. */
    remove: async () => {
      await kill()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A ClickHouse server in a process of its own. */
export type TestServer = Readonly<Awaited<ReturnType<typeof startServer>>>

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const isReady = await fetch(`${url}/ping`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await sleep(20)
  }
}

function writeConfig(folder: string, usersText: string, elements: string): string {
  const [config, users] = [join(folder, 'config.xml'), join(folder, 'users.xml')]
  writeFileSync(config, `<clickhouse><users_config>${users}</users_config>${elements}</clickhouse>`)
  writeFileSync(users, usersText)
  return config
}

/** Returns the users of docs/servers.md for a server on this machine, and an administrator. */
export function usersXml(columns?: ReportColumns): string {
  const settings = Object.entries(PROFILE).map(([name, value]) => `<${name}>${value}</${name}>`)
  const [documented = ''] = documentedXml()
  const changed = documented
    .replace('SHA-256</', `${sha256(USER.password)}</`)
    .replace('192.0.2.10', '127.0.0.1')
    .replace('<profile>default', '<profile>operators')
    .replace(
      '<clickhouse>',
      `<clickhouse>
  <profiles><default/><operators>${settings.join('')}</operators></profiles>
  <quotas><default/></quotas>`,
    )
    .replace('<users>', `<users>${ADMINISTRATOR}`)
  if (!columns) return changed
  const grants = reportRights(columns).map((right) => `<query>${right}</query>`)
  return changed
    .replace(
      /(<counterfoil_report><grants>).*?(<.grants>)/s,
      (_, start, end) => start + grants.join('') + end,
    )
    .replace('GRANT ALL ON default.*', 'GRANT ALL ON *.*')
}

/** Returns the blocks of XML in docs/servers.md. */
export function documentedXml(): readonly string[] {
  const page = readFileSync(SERVERS_PAGE, 'utf8')
  return [...page.matchAll(/^```xml\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

/** Returns the hash of a password as a server's file holds it. */
export function sha256(password: string): string {
  return createHash('sha256').update(password).digest('hex')
}

const ADMINISTRATOR = `
    <default>
      <password/>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
    </default>`
