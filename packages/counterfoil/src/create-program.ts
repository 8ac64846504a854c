import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { checkRequired } from './add-options.ts'
import { addCallCommand } from './commands/call.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addExplainCommand } from './commands/explain.ts'
import { addConformanceCommand } from './commands/conformance.ts'
import { addHelpCommand } from './commands/help.ts'
import { addInitCommand } from './commands/init.ts'
import { addKeygenCommand } from './commands/keygen.ts'
import { addManifestCommand } from './commands/manifest.ts'
import { addReconcileCommand } from './commands/reconcile.ts'
import { addReportCommand } from './commands/report.ts'
import { addReportsCommand } from './commands/reports.ts'
import { addSignCommand } from './commands/sign.ts'
import type { ProgramDependencies } from './dependencies.ts'
import { addRunsCommand } from './commands/runs.ts'
import { addTypesCommand } from './commands/types.ts'
import { addVerifyCommand } from './commands/verify.ts'
import { HELP_LAYOUT } from './help-layout.ts'
import { PROGRAM_EXAMPLE } from './help-texts.ts'
import { describeUsage } from './print/print-outcome.ts'

/** Describes the command line. It prints commander's errors and throws them, and never ends the process. */
export function createProgram(dependencies: ProgramDependencies): Command {
  const { stdout, stderr } = dependencies
  const program = new Command('counterfoil')
    .configureHelp(HELP_LAYOUT)
    .description('Requests reports from a gateway. A report arrives complete, or not at all.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', PROGRAM_EXAMPLE)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (message, write) => write(describeUsage(message)),
    })
    .hook('preAction', (_, command) => checkRequired(command))
  addInitCommand(program, dependencies)
  addReportsCommand(program, dependencies)
  addReportCommand(program, dependencies)
  addRunsCommand(program, dependencies)
  addManifestCommand(program, dependencies)
  addVerifyCommand(program, dependencies)
  addTypesCommand(program, dependencies)
  addReconcileCommand(program, dependencies)
  addCallCommand(program, dependencies)
  addSignCommand(program, dependencies)
  addExplainCommand(program, dependencies)
  addKeygenCommand(program, dependencies)
  addConformanceCommand(program, dependencies)
  addCompletionCommand(program, dependencies)
  addHelpCommand(program)
  nameHelp(program, program.name())
  return program
}

/** Makes each command name its own help after an error. */
function nameHelp(command: Command, path: string): void {
  command.showHelpAfterError(`See: ${path} --help`)
  for (const child of command.commands) nameHelp(child, `${path} ${child.name()}`)
}
