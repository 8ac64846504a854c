import type { Command } from 'commander'
import { createProgram } from '../src/create-program.ts'

/** Creates the program for tests that read its description. */
export function idleProgram(): Command {
  const { env, stdin, stdout, stderr } = process
  const { signal } = new AbortController()
  return createProgram({
    env,
    stdin,
    stdout,
    stderr,
    signal,
    nowMs: () => 0,
    now: () => new Date(0),
    end() {},
  })
}
