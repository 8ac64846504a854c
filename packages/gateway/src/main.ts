#!/usr/bin/env node
import './threads.ts'
import { createProgram } from './commands/create-program.ts'
import { runProgram } from './commands/run-program.ts'

// Other users of the machine may not read the files that the gateway and its engine make.
process.umask(0o077)

// A reader may close its end early, as `head -1` does.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

process.exitCode = await runProgram(createProgram(), process.argv)
