import type { Catalogue, CatalogueParameter, CatalogueReport } from '@counterfoil/client'
import { Option } from 'commander'
import { withClient } from '../connection/read-connection.ts'
import { type ConnectionOptions, GATEWAY_OPTIONS } from '../connection/settings.ts'
import { type CommandDescription, EXIT_CODE_HELP, EXIT_CODES } from '../command.ts'
import { jsonLine, printable, table, wrap } from '../print/text.ts'

export const REPORTS: CommandDescription<ConnectionOptions> = {
  name: 'reports',
  summary: 'list the reports that you may ask for',
  description: 'Lists the reports that you may ask for, or describes one of them.',
  argument: ['[identifier]', 'report to describe: its columns, parameters and formats'],
  options: [
    new Option('--json', 'print the description as JSON, as the gateway sends it'),
    ...GATEWAY_OPTIONS,
  ],
  help: `
Examples:
  counterfoil reports
  counterfoil reports transactions-list
  counterfoil reports transactions-list --json
${EXIT_CODE_HELP}`,
  async run(options, dependencies, identifier) {
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
  },
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

const OPTIONS: Readonly<Record<string, string>> = {
  dateFrom: '--from',
  dateTo: '--to',
  timezone: '--timezone',
}

function describeReport(report: CatalogueReport, width: number): string {
  const { reportIdentifier, title, description, note } = report
  const paragraphs = [description, ...(note === undefined ? [] : [`Note: ${note}`])]
  const configuration = report.configurationReportParameters.filter(({ name }) => !OPTIONS[name])
  const section = (name: string, rows: readonly (readonly string[])[]) => {
    return `${name}:\n${table(rows, { indent: 2, width })}`
  }
  return [
    `${reportIdentifier}: ${title}\n`,
    ...paragraphs.map((text) => `${wrap(text, width).join('\n')}\n`),
    section(
      'Columns',
      report.columns.map(({ name, kind, about, optional }) => {
        return [name, kind, optional ? `${about} (only with --column)` : about]
      }),
    ),
    section(
      'Parameters',
      report.inputReportParameters.map((parameter) => {
        const option = OPTIONS[parameter.name] ?? `--parameter ${parameter.name}=`
        return [option, aboutParameter(parameter)]
      }),
    ),
    section('Filters (--filter NAME=ID,ID)', [[report.filters.join(', ')]]),
    section('Formats', [
      ['--format', report.formats.join(', ')],
      ['--encode', someOf(report.encodings)],
    ]),
    section(
      'Configuration (--configuration NAME=VALUE)',
      configuration.map((parameter) => [`${parameter.name}=`, aboutParameter(parameter)]),
    ),
    `Example:\n  ${exampleOf(report)}\n`,
  ].join('\n')
}

function aboutParameter({ title, required, list, allowed, ...rest }: CatalogueParameter): string {
  const values = typeof allowed === 'string' ? allowed : allowed && someOf(allowed)
  const facts = [
    required && 'required',
    list && 'a list, separated by commas',
    values !== undefined && `one of ${values}`,
    rest.default !== undefined && `default ${legible(rest.default)}`,
  ].filter(Boolean)
  return facts.length === 0 ? title : `${title} (${facts.join('; ')})`
}

const VALUES_MAX = 14

/** The first values of a long list; `--json` prints all. */
function someOf(values: readonly string[]): string {
  const some = values.slice(0, VALUES_MAX).map(legible).join(', ')
  const others = values.length - VALUES_MAX
  return others > 0 ? `${some} and ${others} more` : some
}

/** A value as a sentence shows it. A comma without quotes would read as a part of the sentence. */
function legible(value: string): string {
  return /[\p{L}\p{N}]/u.test(value) ? value : `"${value}"`
}

/** The command line of the catalogue's example, with what a person would write. */
function exampleOf({ reportIdentifier, example }: CatalogueReport): string {
  const parameters = (example.inputReportParameters ?? []).map(({ name, value }) => {
    return OPTIONS[name] ? `${OPTIONS[name]} ${value}` : `--parameter '${name}=${value}'`
  })
  return ['counterfoil report', reportIdentifier, ...parameters].join(' ')
}
