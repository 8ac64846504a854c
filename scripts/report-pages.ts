import { join } from 'node:path'
import { readYaml } from '../packages/common/src/read-yaml.ts'
import { FORMAT_NAMES } from '../packages/formats/src/format/formats.ts'
import { STATUSES, TRANSACTION_TYPES } from '../packages/ledger/src/model/model.ts'
import { goesByBusinessDays } from '../packages/templates/src/template/load-templates.ts'
import type { TemplateParameter } from '../packages/templates/src/template/parameters.ts'
import {
  filteredCurrency,
  parametersOf,
  type Template,
  type TemplateColumn,
  templateSchema,
} from '../packages/templates/src/template/template.ts'
import { code, listOf, markdownTable, wrapParagraph } from './markdown.ts'
import { repositoryFiles } from './repository-files.ts'

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

/** Reads the report files of the repository at `root`. */
export function readReports(root: string): readonly Template[] {
  return repositoryFiles(root, 'reports/*.yaml')
    .toSorted()
    .map((file) => readYaml(join(root, file), templateSchema, 'template').value)
}

/** Generates the table of docs/reports/README.md. */
export function reportTable(templates: readonly Template[]): string {
  const rows = templates.map(({ identifier, title, description, roles }) => [
    `[${identifier}](${identifier}.md)`,
    title,
    questionOf(description),
    roles.join(', '),
  ])
  return markdownTable(['Report', 'Title', 'What it answers', 'Who may ask'], rows)
}

/** Returns the first sentence of a description, which is the question that the report answers. */
function questionOf(description: string): string {
  return /^.*?[?.](?= |$)/.exec(description)?.[0] ?? description
}

/** Generates the page of a report. */
export function reportPage(template: Template): string {
  const { title, description, roles, formats, totals } = template
  const parameters = parametersOf(template)
  const parts = [
    '<!-- Made from the report files by `npm run docs`. -->',
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
  ]
  return `${parts.map((part) => part.trim()).join('\n\n')}\n`
}

function totalsOf(totals: Template['totals']): string {
  if (!totals) return 'none; do not add up the rows of this report'
  return `for each ${listOf(totals.by, 'and')}, the sums of ${listOf(totals.columns, 'and')}`
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

/** Wraps an item of a list, and indents its other lines. */
function wrapItem(item: string): string {
  return wrapParagraph(item, 118).replaceAll('\n', '\n  ')
}
