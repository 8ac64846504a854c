#!/usr/bin/env node
import { CommanderError } from 'commander'
import { createProgram } from './command/create-program.ts'
import { runCall } from './command/run-call.ts'
import { runReport } from './command/run-report.ts'
import { EXIT_CODES } from './command/surroundings.ts'

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
const surroundings = { env, stdout, stderr, signal: interruption.signal, nowMs }
const program = createProgram({
  async report(identifier, options) {
    process.exitCode = await runReport(identifier, options, surroundings)
  },
  async call(operation, options) {
    process.exitCode = await runCall(operation, options, surroundings)
  },
})

try {
  await program.parseAsync(argv)
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? EXIT_CODES.complete : EXIT_CODES.usage
}
