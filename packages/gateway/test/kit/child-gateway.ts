import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { loadConfig } from '../../src/config/config.ts'
import type { Sandbox } from './sandbox.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Runs `counterfoil-gateway` with arguments. */
export function runCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { UV_THREADPOOL_SIZE: _, ...inherited } = process.env
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...inherited, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const wakeAll = (): void => waiting.forEach((waiter) => waiter())
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    wakeAll()
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  let isOver = false
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    isOver = true
    wakeAll()
    return { code, signal }
  })
  return {
    pid: child.pid ?? 0,
    process: child,
    stdout: () => lines.join('\n'),
    stderr: () => stderr,
    /** Waits for a line of stdout that matches. Throws if the process ends without such a line. */
    line: async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const match = lines.find((line) => pattern.test(line))
        if (match !== undefined) return match
        if (isOver) throw new Error(`expected ${pattern}, got:\n${lines.join('\n')}\n${stderr}`)
        await new Promise<void>((resolve) => waiting.add(resolve))
      }
    },
    /** Sends a signal to this process only. */
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    ended,
  }
}

/** A command of the gateway in its own process. */
export type Command = Readonly<ReturnType<typeof runCommand>>

/** A gateway that serves in its own process. */
export interface ChildGateway extends Command {
  readonly sandbox: Sandbox
  /** The path of its configuration. */
  readonly config: string
  readonly reportUrl: string
  readonly port: number
}

/** Starts `serve` on a sandbox's ledger, and waits until it listens. No other process may have the ledger open. */
export async function serveInChild(sandbox: Sandbox, change: object = {}): Promise<ChildGateway> {
  const gateway = await startInChild(sandbox, change)
  await gateway.line(/"listening on /)
  sandbox.keepChecks()
  return gateway
}

/** Starts `serve` as `serveInChild` does, but does not wait until it listens. */
export async function startInChild(sandbox: Sandbox, change: object = {}): Promise<ChildGateway> {
  const config = await sandbox.writeConfig(change)
  const { publicUrl, reportPath, listen } = loadConfig(config)
  const command = runCommand(['serve', '--config', config])
  return { ...command, sandbox, config, reportUrl: publicUrl + reportPath, port: listen.port }
}
