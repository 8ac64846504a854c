#!/usr/bin/env node
import './threads.ts'
import { Command } from 'commander'
import { addCheckCommand } from './commands/check.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addGenerateCommand } from './commands/generate.ts'
import { addImportCommand } from './commands/import.ts'
import { addKeyCommands } from './commands/keys.ts'
import { addMerchantCommands } from './commands/merchants.ts'
import { addReportCommands } from './commands/reports.ts'
import { runProgram } from './commands/run-program.ts'
import { addServeCommand } from './commands/serve.ts'

const program = new Command('counterfoil-gateway').description(
  'Serves transactions reports: one signed POST in, a complete report out.',
)
addServeCommand(program)
addDemoCommand(program)
addCheckCommand(program)
addGenerateCommand(program)
addImportCommand(program)
addMerchantCommands(program)
addKeyCommands(program)
addReportCommands(program)

process.exitCode = await runProgram(program, process.argv)
