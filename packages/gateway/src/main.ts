#!/usr/bin/env node
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'

// Other users of the machine may not read the files that the gateway and its engine make.
process.umask(0o077)

// Compiling the sources takes half of a start. Whoever may write this folder decides what runs, so the folder is in the
// installation, or the one that systemd makes for the gateway's user. Node compiles anew if it cannot write there.
const { CACHE_DIRECTORY: ownFolder } = process.env
const cache = (process.env['NODE_COMPILE_CACHE'] ??=
  ownFolder ?? join(import.meta.dirname, '../node_modules/.cache'))
enableCompileCache(cache)
// A killed process writes nothing at its end.
setTimeout(flushCompileCache, 5_000).unref()

// A reader may close its end early, as `head -1` does.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

const { createProgram, runProgram } = await import('./commands/program.ts')
process.exitCode = await runProgram(createProgram(), process.argv)
