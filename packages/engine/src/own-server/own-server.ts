import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, Socket } from 'node:net'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { resolveLibchdb } from 'chdb/libchdb'
import manifest from 'chdb/package.json' with { type: 'json' }
import { GatewayError, LIMITS, lockFolder, unlessAborted } from '@counterfoil/common'
import { OWN_USER, type ReportColumns, writeAccess } from '../engine/access.ts'
import type { ServerAddress, ServerSource } from '../engine/engine.ts'

/** How the gateway's own server runs. */
export interface OwnServerOptions {
  /** The folder of the data. One process at a time can open it. */
  readonly directory: string
  /** The memory limit of the server. */
  readonly memoryMax: number
  /** The columns that the role of reports may read, by table. */
  readonly reportColumns: ReportColumns
  /** Called when the server has ended by itself. It is started again. */
  readonly onCrash?: ((reason: string) => void) | undefined
}

const HOST = '127.0.0.1'
const POLL_MS = 10
const START_AGAIN_MS = 200
const STDERR_LENGTH_MAX = 4_000

// The server of a killed gateway ends within moments, and another process may take a free port.
const TRANSIENT = /another server instance|Cannot lock file|Address already in use/i

/**
 * A ClickHouse server of the gateway's own: a child process on a loopback port. It ends with this process, however that
 * ends. If the server ends by itself, it is started again on another port and with another password.
 */
export class OwnServer implements ServerSource {
  readonly isOwn = true
  readonly name = "the gateway's own ClickHouse"
  readonly #options: OwnServerOptions
  readonly #unlock: () => void
  #child: ChildProcess | undefined
  #started: Promise<ServerAddress>
  #isClosed = false

  private constructor(options: OwnServerOptions, unlock: () => void) {
    this.#options = options
    this.#unlock = unlock
    this.#started = this.#start()
  }

  /**
   * Starts the server on a directory, and creates the directory if it is missing.
   *
   * @throws {GatewayError} `ledger` if another process has the ledger open, or if the server does not start
   */
  static async open(options: OwnServerOptions): Promise<OwnServer> {
    const { directory } = options
    mkdirSync(join(directory, 'access'), { recursive: true, mode: 0o700 })
    const unlock = lockFolder(directory)
    const ownerFile = join(directory, 'access', 'owner')
    if (unlock === undefined) throw inUse(ownerFile, directory)
    writeFileSync(ownerFile, String(process.pid), { mode: 0o600 })
    const server = new OwnServer(options, unlock)
    try {
      await server.#started
      return server
    } catch (cause) {
      await server.close()
      const reason = cause instanceof Error ? cause.message : String(cause)
      const message = `Cannot open the ledger in ${directory}: ${reason}`
      throw new GatewayError('ledger', message, { cause })
    }
  }

  /** Resolves when the server listens. Throws if it does not within a while. */
  readonly address = async (): Promise<ServerAddress> => {
    return await unlessAborted(this.#started, AbortSignal.timeout(LIMITS.ownServerStartMs))
  }

  /** Ends the server. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#child) await kill(this.#child)
    await this.#started.catch(() => {})
    if (this.#child) await kill(this.#child)
    this.#unlock()
  }

  async #start(): Promise<ServerAddress> {
    for (let triesLeft = START_TRIES; ; triesLeft -= 1) {
      try {
        return await this.#startOnce()
      } catch (error) {
        const isTransient = error instanceof Error && TRANSIENT.test(error.message)
        if (this.#isClosed || triesLeft <= 0 || !isTransient) throw error
        await sleep(START_AGAIN_MS)
      }
    }
  }

  async #startOnce(): Promise<ServerAddress> {
    const { directory, memoryMax, reportColumns } = this.#options
    const password = randomBytes(32).toString('base64url')
    const port = await freePort()
    const config = writeAccess(directory, { port, password, memoryMax, reportColumns })
    const listening = join(directory, 'access', 'listening')
    rmSync(listening, { force: true })
    const child = fork(
      PROGRAM,
      [`--config-file=${config}`, '--multiquery', '--query', listen(listening)],
      {
        // Ctrl+C in a terminal signals the group of this process.
        detached: true,
        execArgv: [],
        env: environment(),
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      },
    )
    this.#child = child
    // The server does not keep this process alive.
    child.unref()
    child.channel?.unref()
    let stderr = ''
    if (child.stderr instanceof Socket) child.stderr.unref()
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_LENGTH_MAX)
    })
    let hasEnded = false
    const ended = once(child, 'exit').then(([code, signal]) => {
      hasEnded = true
      return `The engine ended (${signal ?? code}). ${stderr.trim()}`.trim()
    })
    while (!existsSync(listening)) {
      await Promise.race([sleep(POLL_MS), ended])
      if (hasEnded) throw new Error(await ended)
    }
    void ended.then((reason) => this.#restart(reason))
    return { url: `http://${HOST}:${port}`, login: { user: OWN_USER, password } }
  }

  #restart(reason: string): void {
    if (this.#isClosed) return
    this.#options.onCrash?.(reason)
    this.#started = this.#startAgain()
    // Queries get the error, and no query may be there.
    this.#started.catch(() => {})
  }

  async #startAgain(): Promise<ServerAddress> {
    for (let waitMs = START_AGAIN_MS; !this.#isClosed; waitMs = Math.min(2 * waitMs, 5_000)) {
      try {
        return await this.#startOnce()
      } catch (error) {
        this.#options.onCrash?.(error instanceof Error ? error.message : String(error))
        await sleep(waitMs)
      }
    }
    throw new Error('The engine is closed.')
  }
}

const START_TRIES = 25

// The repository runs `run-server.ts`, the published package `run-server.js`.
const PROGRAM = join(import.meta.dirname, `run-server${extname(import.meta.filename)}`)

/** Writes the program of the server: it listens, says so in a file, and then runs until it is killed. */
function listen(listening: string): string {
  const file = listening.replaceAll(/[\\']/g, String.raw`\$&`)
  return `SYSTEM START LISTEN HTTP;
SELECT 1 INTO OUTFILE '${file}' TRUNCATE;
SELECT sleepEachRow(3) FROM system.numbers FORMAT Null SETTINGS max_block_size = 1`
}

/** The variables of the server. Those of the gateway may hold its secrets. */
function environment(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(names.map((name) => [name, process.env[name]]))
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.ref()
  child.kill('SIGKILL')
  await ended
}

/** Identifies the engine's library. The text differs for another version and for another build. */
export function engineFingerprint(): string {
  const { path } = resolveLibchdb()
  const { size, mtimeMs } = statSync(path)
  return [manifest.version, path, size, mtimeMs].join(' ')
}

/** Finds a port that is free now. The server does not start if another process has taken it since. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

function inUse(ownerFile: string, directory: string): GatewayError {
  const owner = existsSync(ownerFile) ? readFileSync(ownerFile, 'utf8') : ''
  const who = owner === '' ? 'Another process' : `Another process (PID ${owner})`
  return new GatewayError('ledger', `${who} has the ledger in ${directory} open. Stop it first`)
}
