import { type Operation, OPERATIONS } from '@counterfoil/protocol'
import { Command, Option } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { CONNECTION_OPTIONS } from './connection-options.ts'
import { fieldOptions, type OptionValues } from './field-options.ts'
import { REPORT_OPTIONS, type ReportOptions } from './report-options.ts'
import type { CallOptions } from './run-call.ts'
import { EXIT_CODES } from './surroundings.ts'

/** What runs, by command. */
export interface Actions {
  readonly report: (identifier: string | undefined, options: ReportOptions) => Promise<void>
  readonly call: (operation: Operation, options: CallOptions & OptionValues) => Promise<void>
}

const EXAMPLE = `
Example:
  export COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop
  counterfoil report transactions-list --control-key-file key.txt \\
    --from 2026-05-01 --to 2026-06-01 --timezone Europe/Riga -o may.csv`

const KEY_NOTE = `
Exactly one key: --control-key-file, --private-key, or the control key itself in COUNTERFOIL_CONTROL_KEY
(never in an argument, which every user of the machine can see).`

const REPORT_NOTES = `${KEY_NOTE}

A file appears only when the report is complete: its digest and row count agree with what the gateway says.
With -o - the bytes go out as they come: whether they were complete, the exit code tells.

Exit codes:
  ${EXIT_CODES.complete}    the report is complete
  ${EXIT_CODES.failed}    refused, a problem, busy, incomplete, or not saved: the message says which, and what to do
  ${EXIT_CODES.usage}    the command line is wrong; nothing was sent
  ${EXIT_CODES.interrupted}  interrupted; nothing was saved`

const CALL_NOTES = `${KEY_NOTE}

Card numbers and verification values come from files or variables too. The gateway checks the fields.
Its answer is printed as a line of JSON.

Exit codes:
  ${EXIT_CODES.complete}    the operation was accepted
  ${EXIT_CODES.failed}    refused, not accepted, or no answer: the message says which, and what to do
  ${EXIT_CODES.usage}    the command line is wrong; nothing was sent
  ${EXIT_CODES.interrupted}  interrupted`

/** Describes the command line. It throws commander's errors instead of ending the process. */
export function createProgram(actions: Actions): Command {
  const program = new Command('counterfoil')
    .description('Asks a gateway for a report, and gets it complete or not at all.')
    .version(manifest.version)
    .addHelpText('after', EXAMPLE)
    .exitOverride()
  const report = program
    .command('report')
    .description('ask for a report and save it')
    .argument('[identifier]', 'which report; not needed where --request says it')
    .addHelpText('after', `${EXAMPLE}\n${REPORT_NOTES}`)
    .action(actions.report)
  for (const option of REPORT_OPTIONS) report.addOption(option)
  const call = program.command('call').description("call one of the sandbox's form operations")
  for (const operation of Object.values(OPERATIONS)) {
    call.addCommand(describeCall(operation, actions.call).copyInheritedSettings(call))
  }
  return program
}

function describeCall(operation: Operation, run: Actions['call']): Command {
  const command = new Command(operation.name)
    .description(operation.title)
    .addOption(
      new Option('--api-url <url>', "what the operations' paths begin with: https://host/prefix")
        .env('COUNTERFOIL_API_URL')
        .makeOptionMandatory(),
    )
    .requiredOption('--endpoint <id>', "the merchant's endpoint that it is for")
    .addHelpText('after', CALL_NOTES)
    .action(async (options: CallOptions & OptionValues) => await run(operation, options))
  for (const option of CONNECTION_OPTIONS) command.addOption(option)
  for (const { option } of fieldOptions(operation)) command.addOption(option)
  return command
}
