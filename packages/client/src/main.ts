#!/usr/bin/env node
import { runCommand } from './command/run-command.ts'

const { argv, env, stdout, stderr } = process
const interruption = new AbortController()
// Once: a second Ctrl-C ends the process where it stands.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort())

// Whoever reads may have enough, as `head -1` has.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

const nowMs = () => performance.now()
const dependencies = { env, stdout, stderr, signal: interruption.signal, nowMs }
process.exitCode = await runCommand(argv, dependencies)
