import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { createProgram, runCommand } from '../src/create-program.ts'

/** The file behind the command `counterfoil`. */
export const MAIN = join(import.meta.dirname, '../src/main.ts')

/** The exit code and the output of a command. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The folder of a command, which also holds its profiles, and its environment. */
export interface Place {
  readonly folder: string
  readonly env?: NodeJS.ProcessEnv
  /** The lines that the command reads from its standard input. */
  readonly input?: string
  readonly signal?: AbortSignal
}

/** Runs `counterfoil` in this process, with its own folder, environment and output. */
export async function runHere(
  args: readonly string[],
  { folder, env: given = {}, input = '', signal = new AbortController().signal }: Place,
): Promise<Ended> {
  const env = { XDG_CONFIG_HOME: folder, ...given }
  const [stdout, stderr] = [new Printed(), new Printed()]
  const folderBefore = process.cwd()
  process.chdir(folder)
  try {
    const argv = [process.execPath, MAIN, ...args]
    const stdin = Readable.from([input])
    const code = await runCommand(argv, { env, stdin, stdout, stderr, signal })
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    process.chdir(folderBefore)
  }
}

/** Creates the program for tests that read its description. */
export function idleProgram(): Command {
  const { env, stdin, stdout, stderr } = process
  const { signal } = new AbortController()
  return createProgram({ env, stdin, stdout, stderr, signal }, () => {})
}

/** The environment of every process that a test starts: the cache of compiled sources. */
export const CHILD_ENV: NodeJS.ProcessEnv = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}

/** Starts `counterfoil` as a process of its own. */
export function startChild(args: readonly string[], { folder, env = {} }: Place): ChildProcess {
  const childEnv = { ...CHILD_ENV, XDG_CONFIG_HOME: folder, ...env }
  return spawn(process.execPath, [MAIN, ...args], { cwd: folder, env: childEnv })
}

/** Waits for the end of a process. */
export async function endOf(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('expected pipes')
  const printed = Promise.all([text(stdout), text(stderr)])
  const [code] = (await once(child, 'close')) as [number | null]
  const [out, err] = await printed
  return { code, stdout: out, stderr: err }
}

class Printed extends Writable {
  readonly #chunks: Buffer[] = []

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}
