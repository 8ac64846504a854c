// `npm run docs:reports` writes docs/reports/ from the report files, one page each.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readYaml } from '../packages/gateway/src/config/read-yaml.ts'
import { exampleRequest } from '../packages/gateway/src/report/describe-report.ts'
import { CONFIGURATION_PARAMETERS } from '../packages/gateway/src/report/configuration-parameters.ts'
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
        'file. You need a login and its key, or a link from the operator. In a terminal, your developer or operator ' +
        'saves a report with the command `counterfoil`:',
    ),
    `\`\`\`sh\n${COMMAND}\n\`\`\``,
    wrapParagraph(
      'With `--for-excel de` or another language, a spreadsheet shows every digit of ids and the right amounts. ' +
        '[Formats](../formats.md#for-excel) has five lines each for Excel and LibreOffice.',
    ),
    wrapParagraph(
      'The file is complete if the command printed `digest and row count agree`, or `the digest agrees` for another format than CSV. The next line of its output is the ' +
        'SHA-256 of the file. If you only hold the file, ask for that line, and compare it with the output of ' +
        '`sha256sum may.csv` (Windows: `certutil -hashfile may.csv SHA256`, macOS: `shasum -a 256 may.csv`). [The client](../client.md#what-complete-means) explains the check.',
    ),
    '## How a report is written',
    'These are the parameters of `configurationReportParameters`. A [format](../formats.md#choose-a-format) has those that\nmean something in it, and the gateway refuses the others.',
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
      `- **Identifier:** \`${identifier}\``,
      `- **Who may ask:** ${roles.join(', ')}`,
      `- **Formats:** ${formats.join(', ')}`,
      `- **Period:** ${periodOf(template)}`,
      ...(goesByBusinessDays(template)
        ? [
            '- **Business days:** in the zone of the operator ([`businessDayZone`](../configuration.md)), which the note names',
          ]
        : []),
      `- **Filter \`currencies\`:** by the currency of the ${filteredCurrency(template)}`,
      `- **Report file:** [${file}](../../${file})`,
    ].join('\n'),
    '## Parameters',
    wrapParagraph(
      'Send these in `inputReportParameters`. Every report also accepts the same ' +
        '[`configurationReportParameters`](README.md#how-a-report-is-written) and the nine ' +
        '[filters](../protocol.md#filters). [The glossary](../glossary.md) explains the words of payments.',
    ),
    parameterTable(parametersOf(template)),
    '## Columns',
    columnTable(template),
    '## Totals',
    wrapParagraph(totalsOf(totals)),
    '## Example',
    'You can send this request as it is:',
    `\`\`\`json\n${JSON.stringify(exampleRequest(template, NOW), undefined, 2)}\n\`\`\``,
  ])
}

function totalsOf(totals: Template['totals']): string {
  if (!totals) return 'None. The rows of this report must not be added up.'
  return (
    'Send `totals` = `only` in `configurationReportParameters` to get totals: one row for each ' +
    `different ${listOf(totals.by)}. \`Rows\` is the number of the report’s rows. The sums are those of ` +
    `${listOf(totals.columns)}, if the role has the column.`
  )
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

function valuesOf({ allowed = [], lengthMax }: TemplateParameter): string {
  if (allowed === 'timezones') return 'IANA time zones'
  if (lengthMax !== undefined) return `at most ${lengthMax.toLocaleString('en-US')} characters`
  return allowed.map(code).join(', ')
}

function columnTable(template: Template): string {
  const { columns, roles } = template
  const rows = columns.map((column) => [
    code(column.name),
    column.kind,
    column.about,
    column.roles === undefined
      ? 'all'
      : roles.filter((role) => column.roles?.includes(role)).join(', '),
    whenOf(template, column),
  ])
  return markdownTable(['Column', 'Kind', 'What it holds', 'Who has it', 'When'], rows)
}

function whenOf(template: Template, column: TemplateColumn): string {
  if (!column.optional) return 'always'
  return separatesTotals(template, column) ? 'in PDF and XLSX; otherwise on request' : 'on request'
}

function listOf(names: readonly string[]): string {
  const [last = '', ...others] = names.map(code).toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`
}

function page(parts: readonly string[]): string {
  return `${parts.map((part) => part.trim()).join('\n\n')}\n`
}
