#!/usr/bin/env node
import { CommanderError } from 'commander'
import { createProgram } from './command/create-program.ts'
import { EXIT_CODES, runReport } from './command/run-report.ts'
import { UsageError } from './command/usage-error.ts'

const { argv, env, stdout, stderr } = process
const interruption = new AbortController()
// Once: a second Ctrl-C ends the process where it stands.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort())

const program = createProgram(async (identifier, options) => {
  const nowMs = () => performance.now()
  const surroundings = { env, stdout, stderr, signal: interruption.signal, nowMs }
  process.exitCode = await runReport(identifier, options, surroundings)
})

try {
  await program.parseAsync(argv)
} catch (error) {
  if (error instanceof UsageError) {
    stderr.write(`counterfoil: ${error.message}\nSee: counterfoil report --help\n`)
  } else if (!(error instanceof CommanderError)) {
    throw error
  }
  const isHelp = error instanceof CommanderError && error.exitCode === 0
  process.exitCode = isHelp ? EXIT_CODES.complete : EXIT_CODES.usage
}
