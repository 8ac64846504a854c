#!/usr/bin/env node
import './threads.ts'
import { createProgram } from './commands/create-program.ts'
import { runProgram } from './commands/run-program.ts'

process.exitCode = await runProgram(createProgram(), process.argv)
