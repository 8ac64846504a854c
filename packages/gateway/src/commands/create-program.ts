import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { addBackupCommand } from './backup.ts'
import { addCheckCommand } from './check.ts'
import { addConsoleCommands } from './console.ts'
import { addDemoCommand } from './demo.ts'
import { addGenerateCommand } from './generate.ts'
import { addExplainCommand } from './explain.ts'
import { addHelpCommand } from './help-command.ts'
import { addInitCommand } from './init.ts'
import { addImportCommands } from './import.ts'
import { addKeyCommands } from './keys.ts'
import { addLedgerCommands } from './ledger.ts'
import { addLoginCommands } from './logins.ts'
import { addReloadCommand } from './reload.ts'
import { addReportCommands } from './reports.ts'
import { addServeCommand } from './serve.ts'
import { addStatusCommand } from './status.ts'
import { addStoreCommands } from './store.ts'
import { addSyncCommand } from './sync.ts'
import { addVerifyLedgerCommand } from './verify-ledger.ts'

/** Describes the command line of `counterfoil-gateway`. */
export function createProgram(): Command {
  const program = new Command('counterfoil-gateway')
    .description('Serves reports about payment transactions to merchants.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText(
      'after',
      `
Examples:
  counterfoil-gateway demo
  counterfoil-gateway serve --config gateway.yaml
  counterfoil-gateway logins add --help`,
    )
  addDemoCommand(program)
  addServeCommand(program)
  addStatusCommand(program)
  addReloadCommand(program)
  addExplainCommand(program)
  addCheckCommand(program)
  addReportCommands(program)
  addLoginCommands(program)
  addKeyCommands(program)
  addConsoleCommands(program)
  addStoreCommands(program)
  addLedgerCommands(program)
  addInitCommand(program)
  addImportCommands(program)
  addSyncCommand(program)
  addVerifyLedgerCommand(program)
  addGenerateCommand(program)
  addBackupCommand(program)
  addHelpCommand(program)
  return program
}
