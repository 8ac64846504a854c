import type { Catalogue } from '@counterfoil/client'
import { Option } from 'commander'
import type { CommandDescription } from '../command.ts'
import { type ConnectionOptions, GATEWAY_OPTIONS } from '../connection/settings.ts'
import { withClient } from '../connection/with-client.ts'
import type { Dependencies } from '../dependencies.ts'
import { EXIT_CODE_HELP, EXIT_CODES } from '../exit-codes.ts'
import { describeReport } from '../print/describe-report.ts'
import { jsonLine } from '../print/json-line.ts'
import { printable } from '../print/print-outcome.ts'
import { table } from '../print/table.ts'

interface ReportsOptions extends ConnectionOptions {
  readonly json?: boolean
}

const EXAMPLES = `
Examples:
  counterfoil reports
  counterfoil reports transactions-list
  counterfoil reports transactions-list --json`

/** The command `reports`. */
export const REPORTS: CommandDescription<ReportsOptions> = {
  name: 'reports',
  summary: 'list the reports that you may ask for',
  description: 'Lists the reports that you may ask for, or describes one of them.',
  argument: ['[identifier]', 'report to describe: its columns, parameters and formats'],
  options: [
    new Option('--json', 'print the description as JSON, as the gateway sends it'),
    ...GATEWAY_OPTIONS,
  ],
  help: `${EXAMPLES}\n${EXIT_CODE_HELP}`,
  run: runReports,
}

async function runReports(
  options: ReportsOptions,
  dependencies: Dependencies,
  identifier?: string,
): Promise<number> {
  const { stdout, stderr, signal } = dependencies
  return await withClient(options, dependencies, async (client) => {
    const catalogue = await client.catalogue({ signal })
    const report = catalogue.reports.find((each) => each.reportIdentifier === identifier)
    if (identifier !== undefined && !report) {
      stderr.write(describeUnknown(identifier, catalogue))
      return EXIT_CODES.refused
    }
    const width = Math.max(40, Math.min(stdout.columns ?? 80, 120))
    const text = report ? describeReport(report, width) : describeAll(catalogue, width)
    stdout.write(options.json ? jsonLine(report ?? catalogue) : printable(text))
    return EXIT_CODES.done
  })
}

function describeUnknown(identifier: string, { login, reports }: Catalogue): string {
  const names = reports.map(({ reportIdentifier }) => reportIdentifier).join(', ')
  return printable(`counterfoil: ${login} has no report ${identifier}; it has ${names}\n`)
}

function describeAll({ login, reports, newestRows }: Catalogue, width: number): string {
  const rows = reports.map(({ reportIdentifier, title, formats }) => {
    return [reportIdentifier, title, formats.join(' ')]
  })
  const newest = newestRows
    ? `Newest rows of ${login}: transactions ${newestRows.transactions}, statements ${newestRows.statements}\n`
    : ''
  const example = reports[0]?.reportIdentifier ?? 'IDENTIFIER'
  return `${table([['REPORT', 'TITLE', 'FORMATS'], ...rows], { width })}
${newest}Its columns and parameters: counterfoil reports ${example}
`
}
