import { type Operation, OPERATIONS } from '@counterfoil/protocol'
import { Command, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addOptions, checkRequired, refuseOption, REQUIRED } from './add-options.ts'
import { CONNECTION_OPTIONS } from './connection-options.ts'
import { fieldOptions } from './field-options.ts'
import { addHelpCommand } from './help-command.ts'
import { HELP_LAYOUT } from './help-layout.ts'
import { CALL_EXAMPLES, CALL_NOTES, REPORT_EXAMPLE, REPORT_NOTES } from './help-texts.ts'
import { describeUsage } from './print-outcome.ts'
import type { OptionValues } from './read-fields.ts'
import { REPORT_OPTIONS, type ReportOptions } from './report-options.ts'
import type { CallOptions } from './run-call.ts'
import type { Dependencies } from './dependencies.ts'
import { UsageError } from './usage-error.ts'

/** The actions of the commands. An action may throw a `UsageError`. */
export interface Actions {
  readonly report: (identifier: string | undefined, options: ReportOptions) => Promise<void>
  readonly call: (operation: Operation, options: CallOptions & OptionValues) => Promise<void>
}

/** Describes the command line. It prints commander's errors and throws them, and never ends the process. */
export function createProgram(
  actions: Actions,
  { stdout, stderr }: Pick<Dependencies, 'stdout' | 'stderr'> = process,
): Command {
  const program = new Command('counterfoil')
    .configureHelp(HELP_LAYOUT)
    .description('Requests reports from a gateway. A report arrives complete, or not at all.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', REPORT_EXAMPLE)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (message, write) => write(describeUsage(message)),
    })
    .showHelpAfterError('See: counterfoil --help')
    .hook('preAction', (_, command) => checkRequired(command))
  describeReport(program.command('report'), actions.report)
  const call = program
    .command('call')
    .summary("call one of the sandbox's form operations")
    .description("Calls one of the sandbox's form operations for one of your endpoints.")
    .addHelpText('after', '\nExample:\n  counterfoil call transfer-by-ref --help')
    .showHelpAfterError('See: counterfoil call --help')
  for (const operation of Object.values(OPERATIONS)) {
    describeCall(call.command(operation.name), operation, actions.call)
  }
  addHelpCommand(program)
  return program
}

function describeReport(command: Command, run: Actions['report']): void {
  command
    .summary('request a report and save it')
    .description('Requests a report and saves it.')
    .argument('[identifier]', 'identifier of the report (required without --request)')
    .addHelpText('after', `${REPORT_EXAMPLE}\n${REPORT_NOTES}`)
    .showHelpAfterError('See: counterfoil report --help')
    .action((identifier, options) => withUsage(command, run(identifier, options)))
  addOptions(command, REPORT_OPTIONS)
}

function describeCall(command: Command, operation: Operation, run: Actions['call']): void {
  const { name, title } = operation
  const fields = fieldOptions(operation)
  command
    .summary(title)
    .description(`Calls the form operation ${name}: ${title}.`)
    .addHelpText('after', `${CALL_EXAMPLES[name]}\n${CALL_NOTES}`)
    .showHelpAfterError(`See: counterfoil call ${name} --help`)
    .action((options) => withUsage(command, run(operation, options)))
  addOptions(command, [
    new Option('--api-url <url>', 'base URL of the operations: https://host/prefix')
      .env('COUNTERFOIL_API_URL')
      .helpGroup(REQUIRED),
    new Option('--endpoint <id>', 'id of your endpoint').helpGroup(REQUIRED),
    ...CONNECTION_OPTIONS,
    ...fields.map(({ option }) => option),
  ])
  for (const { option, secret } of fields) {
    if (!secret) continue
    const advice = `Use ${option.flags} (the file may be /dev/stdin) or the variable ${secret.variable}`
    const message = `the value is now in the shell's history. ${advice}`
    refuseOption(command, secret.refused, `${secret.refused.long}: ${message}`)
  }
}

/** Prints a `UsageError` of an action as commander prints its own errors. */
async function withUsage(command: Command, running: Promise<void>): Promise<void> {
  try {
    await running
  } catch (error) {
    if (error instanceof UsageError) command.error(error.message)
    throw error
  }
}
