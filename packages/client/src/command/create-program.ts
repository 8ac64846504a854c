import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { REPORT_OPTIONS, type ReportOptions } from './report-options.ts'
import { EXIT_CODES } from './run-report.ts'

/** What runs when a report is asked for. */
export type RunReport = (identifier: string | undefined, options: ReportOptions) => Promise<void>

const EXAMPLE = `
Example:
  export COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop
  counterfoil report transactions-list --control-key-file key.txt \\
    --from 2026-05-01 --to 2026-06-01 --timezone Europe/Riga -o may.csv`

const NOTES = `
Exactly one key: --control-key-file, --private-key, or the control key itself in COUNTERFOIL_CONTROL_KEY
(never in an argument, which every user of the machine can see).

A file appears only when the report is complete: its digest and row count agree with what the gateway says.
With -o - the bytes go out as they come: whether they were complete, the exit code tells.

Exit codes:
  ${EXIT_CODES.complete}    the report is complete
  ${EXIT_CODES.failed}    refused, a problem, busy, incomplete, or not saved: the message says which, and what to do
  ${EXIT_CODES.usage}    the command line is wrong; nothing was sent
  ${EXIT_CODES.interrupted}  interrupted; nothing was saved`

/** Describes the command line. It throws commander's errors instead of ending the process. */
export function createProgram(runReport: RunReport): Command {
  const program = new Command('counterfoil')
    .description('Asks a gateway for a report, and gets it complete or not at all.')
    .version(manifest.version)
    .addHelpText('after', EXAMPLE)
    .exitOverride()
  const report = program
    .command('report')
    .description('ask for a report and save it')
    .argument('[identifier]', 'which report; not needed where --request says it')
    .addHelpText('after', `${EXAMPLE}\n${NOTES}`)
    .action(runReport)
  for (const option of REPORT_OPTIONS) report.addOption(option)
  return program
}
