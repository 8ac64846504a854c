// `npm run docs:reports` writes docs/reports/ from the report files, one page each.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readYaml } from '../packages/gateway/src/config/read-yaml.ts'
import { exampleRequest } from '../packages/gateway/src/report/describe-report.ts'
import { CONFIGURATION_PARAMETERS } from '../packages/gateway/src/report/configuration-parameters.ts'
import { FORMAT_NAMES } from '../packages/gateway/src/formats/formats.ts'
import { STATUSES, TRANSACTION_TYPES } from '../packages/gateway/src/ledger/model.ts'
import { goesByBusinessDays } from '../packages/gateway/src/templates/note-business-days.ts'
import { parametersOf } from '../packages/gateway/src/templates/period.ts'
import {
  filteredCurrency,
  separatesTotals,
  type Template,
  type TemplateColumn,
  type TemplateParameter,
  templateSchema,
} from '../packages/gateway/src/templates/template.ts'
import { code, markdownTable } from './markdown-table.ts'
import { repositoryFiles } from './repository-files.ts'
import { wrapParagraph } from './wrap-paragraph.ts'

/** The folder of the pages, from the root of the repository. */
const PAGES = 'docs/reports'

// Examples request the month before this one. A fixed date keeps the pages the same every day.
const NOW = Date.UTC(2026, 10, 15)

/** The parameters of every report with a period, which the index explains. */
const OF_PERIODS = ['dateFrom', 'dateTo', 'timezone']

/** The parameters whose values the index lists, if a report takes all of them. */
const ALL_VALUES: Readonly<Record<string, readonly string[]>> = {
  statuses: STATUSES,
  types: TRANSACTION_TYPES,
}

const COMMAND = 'counterfoil report transactions-list --from 2026-05-01 --to 2026-06-01 -o may.csv'

const MADE = '<!-- Made from the report files by `npm run docs:reports`. -->'

/** Generates the pages for the reports of the repository at `root`: their texts by file name, with `README.md`. */
export function reportPages(root: string): ReadonlyMap<string, string> {
  const templates = repositoryFiles(root, 'reports/*.yaml')
    .toSorted()
    .map((file) => readYaml(join(root, file), templateSchema, 'template').value)
  const pages = templates.map(
    (template) => [`${template.identifier}.md`, pageOf(template)] as const,
  )
  return new Map([['README.md', indexOf(templates)], ...pages])
}

/** Reads the pages that are in the repository at `root`. */
export function writtenPages(root: string): ReadonlyMap<string, string> {
  const files = repositoryFiles(root, `${PAGES}/*.md`)
  return new Map(files.map((file) => [basename(file), readFileSync(join(root, file), 'utf8')]))
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const folder = join(root, PAGES)
  const pages = reportPages(root)
  mkdirSync(folder, { recursive: true })
  for (const name of writtenPages(root).keys()) if (!pages.has(name)) rmSync(join(folder, name))
  for (const [name, text] of pages) writeFileSync(join(folder, name), text)
  console.log(`${pages.size} pages in ${PAGES}`)
}

function indexOf(templates: readonly Template[]): string {
  const reports = templates.map(({ identifier, title, description, roles }) => [
    `[${identifier}](${identifier}.md)`,
    title,
    questionOf(description),
    roles.join(', '),
  ])
  return page([
    MADE,
    '# Reports',
    wrapParagraph(
      'Counterfoil has these reports. Each is a file in [reports/](../../reports). ' +
        '[Report files](../templates.md) explains how to write one, and [the glossary](../glossary.md) ' +
        'explains the words of payments.',
    ),
    markdownTable(['Report', 'Title', 'What it answers', 'Who may ask'], reports),
    '## How you get a report',
    wrapParagraph(
      'In a browser, open the [console](../console.md) of your gateway, choose a report and a period, and download the ' +
        'file. You need a login and its key, or a link from the operator. In a terminal, the command `counterfoil` ' +
        'saves a report:',
    ),
    `\`\`\`sh\n${COMMAND}\n\`\`\``,
    wrapParagraph(
      'With `--for-excel de` or another language, a spreadsheet shows every digit of ids and the right amounts ' +
        '([formats](../formats.md#for-excel)). The file is complete if the command printed `digest and row count agree`, ' +
        'or `the digest agrees` for another format than CSV ([the client](../client.md#what-complete-means)). The next ' +
        'line of its output is the SHA-256 of the file. Compare it later with the output of `sha256sum may.csv` ' +
        '(Windows: `certutil -hashfile may.csv SHA256`, macOS: `shasum -a 256 may.csv`).',
    ),
    '## What every report has',
    [
      `- **Formats:** ${FORMAT_NAMES.join(', ')} ([formats](../formats.md)).`,
      '- **Period:** `dateFrom`, the start, and `dateTo`, the end, which is not included: `INPUT_DATETIME`. A page names\n  the longest period if a report requires one.',
      '- **Time zone:** `timezone`, the IANA time zone of the period and of the columns: `UTC` by default.',
      '- **Filters:** nine [filters](../protocol.md#filters). A page says which currency the filter `currencies` goes by.',
      '- **Totals:** `totals` = `only` in `configurationReportParameters` asks for totals instead of rows: a row for each\n  different value of the columns that a page names, with the number of rows and the sums of columns that your role has.',
    ].join('\n'),
    wrapParagraph(
      `All statuses are ${listOf(STATUSES)}. All types are ${listOf(TRANSACTION_TYPES)}.`,
    ),
    wrapParagraph(
      'Send parameters in `inputReportParameters`. To choose columns, name them in `outputReportParameters`. A report ' +
        'leaves out the optional columns that you do not name.',
    ),
    '## How a report is written',
    wrapParagraph(
      'These are the parameters of `configurationReportParameters`. The gateway refuses those that mean nothing in the ' +
        '[format](../formats.md#choose-a-format).',
    ),
    parameterTable(CONFIGURATION_PARAMETERS),
  ])
}

/** Returns the first sentence of a description, which is the question that the report answers. */
function questionOf(description: string): string {
  return /^.*?[?.](?= |$)/.exec(description)?.[0] ?? description
}

function pageOf(template: Template): string {
  const { identifier, title, description, roles, formats, totals } = template
  const file = `reports/${identifier}.yaml`
  return page([
    MADE,
    `# ${title}`,
    wrapParagraph(description),
    [
      `- **Who may ask:** ${roles.join(', ')}`,
      ...(formats.length === FORMAT_NAMES.length ? [] : [`- **Formats:** ${formats.join(', ')}`]),
      `- **Period:** ${periodOf(template)}`,
      ...(goesByBusinessDays(template)
        ? [
            '- **Business days:** in the zone of the operator ([`businessDayZone`](../configuration.md))',
          ]
        : []),
      `- **Filter \`currencies\`:** by the currency of the ${filteredCurrency(template)}`,
      wrapItem(`- **Totals:** ${totalsOf(totals)}`),
      `- **Report file:** [${file}](../../${file})`,
    ].join('\n'),
    '## Parameters',
    `[Every report](README.md#what-every-report-has) has more parameters.`,
    parameterTable(parametersOf(template).filter(({ name }) => !OF_PERIODS.includes(name))),
    '## Columns',
    columnTable(template),
    '## Example',
    `\`\`\`json\n${exampleOf(template)}\n\`\`\``,
  ])
}

/** Writes a request for the report as JSON, without the members that are optional. */
function exampleOf(template: Template): string {
  const { reportIdentifier, inputReportParameters = [] } = exampleRequest(template, NOW)
  const parameters = inputReportParameters.map((parameter) => `    ${JSON.stringify(parameter)}`)
  return `{\n  "reportIdentifier": "${reportIdentifier}",\n  "inputReportParameters": [\n${parameters.join(',\n')}\n  ]\n}`
}

function totalsOf(totals: Template['totals']): string {
  if (!totals) return 'none; do not add up the rows of this report'
  return `for each ${listOf(totals.by)}, the sums of ${listOf(totals.columns)}`
}

function periodOf({ period }: Template): string {
  if (!period) return 'none'
  const required = period.required ? 'required' : 'not required'
  const days = period.daysMax === undefined ? '' : `, of ${period.daysMax} days at most`
  return required + days
}

function parameterTable(parameters: readonly TemplateParameter[]): string {
  const rows = parameters.map((parameter) => [
    code(parameter.name),
    code(parameter.type) + (parameter.list ? ', list' : ''),
    parameter.required ? 'required' : code(parameter.default),
    valuesOf(parameter),
    parameter.title,
  ])
  return markdownTable(['Parameter', 'Type', 'Default', 'Values', 'Meaning'], rows)
}

function valuesOf({ name, allowed = [], lengthMax }: TemplateParameter): string {
  if (allowed === 'timezones') return 'IANA time zones'
  if (lengthMax !== undefined) return `at most ${lengthMax.toLocaleString('en-US')} characters`
  if (allowed.length > 1 && allowed.length === ALL_VALUES[name]?.length) return `all ${name}`
  return allowed.map(code).join(', ')
}

function columnTable(template: Template): string {
  const rows = template.columns.map((column) => [
    code(column.name),
    column.kind,
    column.about + remarkOf(template, column),
  ])
  return markdownTable(['Column', 'Kind', 'What it holds'], rows)
}

/** Says who has a column and when, if it is not for every role and in every report. */
function remarkOf(template: Template, column: TemplateColumn): string {
  const { roles: only } = column
  const roles = only && `${template.roles.filter((role) => only.includes(role)).join(', ')} only`
  const optional = separatesTotals(template, column)
    ? 'optional in CSV, JSONL and PARQUET'
    : 'optional'
  const remarks = [column.optional && optional, roles].filter(Boolean)
  return remarks.length === 0 ? '' : ` (${remarks.join('; ')})`
}

function listOf(names: readonly string[]): string {
  const [last = '', ...others] = names.map(code).toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`
}

function page(parts: readonly string[]): string {
  return `${parts.map((part) => part.trim()).join('\n\n')}\n`
}

/** Wraps an item of a list, and indents its other lines. */
function wrapItem(item: string): string {
  return wrapParagraph(item, 118).replaceAll('\n', '\n  ')
}
