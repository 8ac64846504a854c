#!/usr/bin/env node
import './threads.ts'
import { Command } from 'commander'
import { addDemoCommand } from './commands/demo.ts'
import { addKeyCommands } from './commands/keys.ts'
import { addMerchantCommands } from './commands/merchants.ts'
import { runProgram } from './commands/run-program.ts'
import { addServeCommand } from './commands/serve.ts'

const program = new Command('counterfoil-gateway').description(
  'Serves transactions reports: one signed POST in, a complete report out.',
)
addServeCommand(program)
addDemoCommand(program)
addMerchantCommands(program)
addKeyCommands(program)

process.exitCode = await runProgram(program, process.argv)
