#!/usr/bin/env node
import { runCommand } from './create-program.ts'

const { argv, env, stdin, stdout, stderr } = process
const interruption = new AbortController()
// Once, so that a second Ctrl-C ends the process at once.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort())

// A reader such as `head -1` may close the stream early.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

const { signal } = interruption
process.exitCode = await runCommand(argv, { env, stdin, stdout, stderr, signal })
