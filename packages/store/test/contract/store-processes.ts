import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

const STORE = import.meta.resolve('../../src/store/open-store.ts')

/** Runs a program with `store` and `name` in its own process, which opens the store in `file` at a given moment. */
export function startStoreProcess(
  file: string,
  program: string,
  name: string,
  argument = '',
  momentMs = 0,
): ChildProcessByStdio<null, Readable, null> {
  const source = `
    import { writeSync } from 'node:fs'
    import { setTimeout } from 'node:timers/promises'
    import { openSqliteStore } from ${JSON.stringify(STORE)}
    const name = process.argv[1]
    const momentMs = ${momentMs}
    await setTimeout(Math.max(0, momentMs - Date.now()))
    const store = openSqliteStore(${JSON.stringify(file)})
    ${program}`
  const options = ['--input-type=module', '--eval', source, name, argument]
  return spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Runs a program in several processes at once, and returns what each has printed. */
export async function raceStoreProcesses(
  file: string,
  count: number,
  program: string,
  argument?: string,
): Promise<string[]> {
  const momentMs = Date.now() + 1_500
  const children = Array.from({ length: count }, (_, index) => {
    return startStoreProcess(file, program, `p${index}`, argument, momentMs)
  })
  return await Promise.all(children.map(async ({ stdout }) => (await text(stdout)).trim()))
}
