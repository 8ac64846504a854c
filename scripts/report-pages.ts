import { join } from 'node:path'
import { readYaml } from '../packages/common/src/read-yaml.ts'
import { FORMAT_NAMES } from '../packages/formats/src/format/formats.ts'
import { STATUSES, TRANSACTION_TYPES } from '../packages/ledger/src/model/model.ts'
import { goesByBusinessDays } from '../packages/templates/src/template/note-business-days.ts'
import { parametersOf } from '../packages/templates/src/template/period.ts'
import {
  filteredCurrency,
  type Template,
  type TemplateColumn,
  type TemplateParameter,
  templateSchema,
} from '../packages/templates/src/template/template.ts'
import { code, markdownTable } from './markdown-table.ts'
import { repositoryFiles } from './repository-files.ts'
import { wrapParagraph } from './wrap-paragraph.ts'

/** The parameters that the index explains. */
const IN_INDEX = ['dateFrom', 'dateTo', 'timezone', 'changedSince']

/** What a parameter takes whose values no list names. */
const VALUES: Readonly<Record<string, string>> = {
  INPUT_TEXT: 'a text',
  INPUT_NUMBER: 'a number',
  INPUT_BOOLEAN: '`true`, `false`',
}

/** The parameters whose values the ledger's page lists, if a report takes all of them. */
const ALL_VALUES: Readonly<Record<string, readonly string[]>> = {
  statuses: STATUSES,
  types: TRANSACTION_TYPES,
}

const COMMAND = 'counterfoil report transactions-list --from 2026-05-01 --to 2026-06-01 -o may.csv'

const MADE = '<!-- Made from the report files by `npm run docs`. -->'

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
      'Each report is a file in [reports/](../../reports). [Report files](../templates.md) explains how to write one.',
    ),
    markdownTable(['Report', 'Title', 'What it answers', 'Who may ask'], reports),
    '## How you get a report',
    wrapParagraph(
      'In a browser, open the [console](../console.md) of your gateway, choose a report and a period, and download the ' +
        'file. In a terminal, the [command](../client.md#the-command) saves it:',
    ),
    `\`\`\`sh\n${COMMAND}\n\`\`\``,
    wrapParagraph(
      'With `--for-excel de` or another language, a [spreadsheet](../formats.md#for-excel) shows every digit of ids and ' +
        'the right amounts. The file is [complete](../client.md#what-complete-means) if the command printed `digest and ' +
        'row count agree`, or `the digest agrees` for another format than CSV. The next line is the SHA-256 of the file, ' +
        'as `sha256sum may.csv` prints it (Windows: `certutil -hashfile may.csv SHA256`, macOS: ' +
        '`shasum -a 256 may.csv`).',
    ),
    '## What every report has',
    [
      `- **Formats:** ${FORMAT_NAMES.join(', ')} ([formats](../formats.md)).`,
      '- **Period:** `dateFrom` and `dateTo`, which is not included.',
      '- **Time zone:** `timezone`, of the period and of the columns.',
      '- **Filters:** nine [filters](../protocol.md#filters). `currencies` goes by the currency of the transaction, unless a\n  page names another.',
      '- **Configuration:** [how the report is written](../protocol.md#how-the-report-is-written).',
      '- **Totals:** `totals` = `only` in the configuration asks for totals instead of rows: a row for each different\n  value of the columns that a page names, with the number of rows and the sums of columns that your role has.',
      '- **Optional columns:** a report has them only if `outputReportParameters` names them. PDF and XLSX also have those\n  that separate the totals.',
    ].join('\n'),
    wrapParagraph(
      '[The ledger](../ledger.md#transactions) lists all statuses and types. `counterfoil reports NAME` prints the kind ' +
        'of each column and the type of each parameter, and the [catalogue](../protocol.md#the-catalogue) has an example ' +
        'request.',
    ),
  ])
}

/** Returns the first sentence of a description, which is the question that the report answers. */
function questionOf(description: string): string {
  return /^.*?[?.](?= |$)/.exec(description)?.[0] ?? description
}

function pageOf(template: Template): string {
  const { title, description, roles, formats, totals } = template
  const parameters = parametersOf(template)
  return page([
    MADE,
    `# ${title}`,
    wrapParagraph(description),
    [
      `- **Who may ask:** ${roles.join(', ')}`,
      ...(formats.length === FORMAT_NAMES.length ? [] : [`- **Formats:** ${formats.join(', ')}`]),
      `- **Period:** ${periodOf(template)}`,
      ...(goesByBusinessDays(template)
        ? ['- **Business days:** in the operator’s zone ([`businessDayZone`](../configuration.md))']
        : []),
      ...(filteredCurrency(template) === 'transaction'
        ? []
        : [`- **Filter \`currencies\`:** by the currency of the ${filteredCurrency(template)}`]),
      ...(parameters.some(({ name }) => name === 'changedSince')
        ? ['- **Changes:** takes [`changedSince`](../protocol.md#changes)']
        : []),
      wrapItem(`- **Totals:** ${totalsOf(totals)}`),
    ].join('\n'),
    '## Parameters',
    'Besides [those of every report](README.md#what-every-report-has):',
    parameterTable(parameters.filter(({ name }) => !IN_INDEX.includes(name))),
    '## Columns',
    columnTable(template),
  ])
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
    valuesOf(parameter),
    parameter.title,
  ])
  return markdownTable(['Parameter', 'Values', 'Meaning'], rows)
}

/** Says what a parameter takes, and what holds without it. */
function valuesOf(parameter: TemplateParameter): string {
  const { list, required, default: usual } = parameter
  return [
    (list ? 'list: ' : '') + kindOf(parameter),
    ...(required ? ['required'] : []),
    ...(usual === undefined ? [] : [`default ${code(usual)}`]),
  ].join('; ')
}

function kindOf({ name, type, allowed = [], lengthMax }: TemplateParameter): string {
  if (allowed === 'timezones') return 'IANA time zones'
  if (allowed.length > 1 && allowed.length === ALL_VALUES[name]?.length) return `all ${name}`
  if (allowed.length > 0) return allowed.map(code).join(', ')
  const length = lengthMax && ` of at most ${lengthMax.toLocaleString('en-US')} characters`
  return `${VALUES[type] ?? type}${length ?? ''}`
}

function columnTable(template: Template): string {
  const rows = template.columns.map((column) => [
    code(column.name),
    column.about + remarkOf(template, column),
  ])
  return markdownTable(['Column', 'What it holds'], rows)
}

/** Says who has a column, and whether a report has it only by name. */
function remarkOf({ roles: all }: Template, { roles: only, optional }: TemplateColumn): string {
  const roles = only && `${all.filter((role) => only.includes(role)).join(', ')} only`
  const remarks = [optional && 'optional', roles].filter(Boolean)
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
