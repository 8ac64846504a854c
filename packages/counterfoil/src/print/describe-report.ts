import type { CatalogueParameter, CatalogueReport } from '@counterfoil/client'
import { table, wrap } from './table.ts'

/** Parameters that have an option of their own. */
const OPTIONS: Readonly<Record<string, string>> = {
  dateFrom: '--from',
  dateTo: '--to',
  timezone: '--timezone',
}

/** What the client checks of a report. Another gateway may leave out all else. */
type Described = Partial<CatalogueReport> &
  Pick<
    CatalogueReport,
    'columns' | 'formats' | 'inputReportParameters' | 'reportIdentifier' | 'title'
  >

/** Describes a report of the catalogue for a person who wants to ask for it. */
export function describeReport(report: Described, width: number): string {
  const { reportIdentifier, title, description, note, columns, formats, encodings = [] } = report
  const paragraphs = [
    ...(description === undefined ? [] : [description]),
    ...(note === undefined ? [] : [`Note: ${note}`]),
  ]
  const columnRows = columns.map(({ name, kind, about, optional }) => {
    return [name, kind, optional ? `${about} (only with --column)` : about]
  })
  const parameters = report.inputReportParameters.map((parameter) => {
    const { name } = parameter
    return [OPTIONS[name] ?? `--parameter ${name}=`, aboutParameter(parameter)]
  })
  const configuration = (report.configurationReportParameters ?? [])
    .filter(({ name }) => OPTIONS[name] === undefined)
    .map((parameter) => [`${parameter.name}=`, aboutParameter(parameter)])
  const layout = { indent: 2, width }
  const written = [
    ['--format', formats.join(', ')],
    ['--encode', someOf(encodings)],
  ]
  return [
    `${reportIdentifier}: ${title}\n`,
    ...paragraphs.map((text) =>
      wrap(text, width)
        .map((line) => `${line}\n`)
        .join(''),
    ),
    `Columns:\n${table(columnRows, layout)}`,
    `Parameters:\n${table(parameters, layout)}`,
    `Filters (--filter NAME=ID,ID):\n${table([[(report.filters ?? []).join(', ')]], layout)}`,
    `Formats:\n${table(written, layout)}`,
    `Configuration (--configuration NAME=VALUE):\n${table(configuration, layout)}`,
    `Example:\n  ${exampleOf(report)}\n`,
  ].join('\n')
}

function aboutParameter({ title, required, list, allowed, ...rest }: CatalogueParameter): string {
  const values = typeof allowed === 'string' ? allowed : allowed && someOf(allowed)
  const facts = [
    ...(required ? ['required'] : []),
    ...(list ? ['a list, separated by commas'] : []),
    ...(values === undefined ? [] : [`one of ${values}`]),
    ...(rest.default === undefined ? [] : [`default ${legible(rest.default)}`]),
  ]
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
function exampleOf({ reportIdentifier, example }: Described): string {
  const parameters = (example?.inputReportParameters ?? []).map(({ name, value }) => {
    return OPTIONS[name] ? `${OPTIONS[name]} ${value}` : `--parameter '${name}=${value}'`
  })
  return ['counterfoil report', reportIdentifier, ...parameters].join(' ')
}
