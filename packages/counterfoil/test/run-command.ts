import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runCommand } from '../src/create-program.ts'

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
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([text(stdout), text(stderr)])
  const folderBefore = process.cwd()
  process.chdir(folder)
  try {
    const argv = [process.execPath, MAIN, ...args]
    const stdin = Readable.from([input])
    const code = await runCommand(argv, { env, stdin, stdout, stderr, signal })
    stdout.end()
    stderr.end()
    const [out, err] = await printed
    return { code, stdout: out, stderr: err }
  } finally {
    process.chdir(folderBefore)
  }
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
