import { fieldProblem, type Role } from '@counterfoil/common'
import type {
  CurrencySums,
  FileColumn,
  FileSums,
  Format,
  StatementLayout,
} from '@counterfoil/formats'
import {
  type Choice,
  compileTemplate,
  compileTotals,
  currencyOf,
  isFor,
  selectedColumn,
  type Template,
  type TemplateColumn,
} from '@counterfoil/templates'
import { type ChosenColumn, chooseColumns } from './columns.ts'
import type { Envelope } from './envelope.ts'
import { statementOf } from './layouts.ts'

/** The content of a report: its columns, and a function that compiles the query of its rows or totals. */
export interface Content {
  readonly columns: readonly FileColumn[]
  /** How the rows can be summed, if the content is rows. */
  readonly sums: FileSums | undefined
  /** The layout of statements, if the content is rows and the request names no columns. */
  readonly statement: StatementLayout | undefined
  readonly compile: (choice: Omit<Choice, 'columns'>) => string
}

/**
 * Chooses the content of a report: its totals, or its rows with the columns that the request names.
 *
 * @throws `invalid-parameter` for columns and totals that the report does not have for this role
 */
export function chooseContent(
  template: Template,
  { outputReportParameters }: Pick<Envelope, 'outputReportParameters'>,
  role: Role,
  format: Pick<Format, 'isDocument'>,
  totalsOnly: boolean,
): Content {
  if (totalsOnly) return totalsOf(template, outputReportParameters, role)
  const chosen = chooseColumns(template, outputReportParameters, role, format)
  const columns = chosen.map(({ column }) => column)
  return {
    columns: chosen.map(({ column: { kind }, title }) => ({ kind, title })),
    sums: sumsOf(template, role, chosen),
    statement: outputReportParameters.length > 0 ? undefined : statementOf(template),
    compile: (choice) => compileTemplate(template, { ...choice, columns }),
  }
}

function totalsOf(
  template: Template,
  outputReportParameters: Envelope['outputReportParameters'],
  role: Role,
): Content {
  const { totals } = template
  if (!totals) {
    const pointer = '/configurationReportParameters'
    const expected = 'no totals: this report has none'
    throw fieldProblem('invalid-parameter', [{ pointer, expected }])
  }
  if (outputReportParameters.length > 0) {
    const expected = 'none beside totals: the report file sets the columns of totals'
    throw fieldProblem('invalid-parameter', [{ pointer: '/outputReportParameters', expected }])
  }
  const [by, sums] = [
    columnsNamed(template, totals.by, role),
    columnsNamed(template, totals.columns, role),
  ]
  const [keys, values] = [by, sums].map((columns) => {
    return columns.map(({ name, kind }) => ({ title: name, kind }))
  })
  return {
    columns: [...(keys ?? []), { title: 'Rows', kind: 'integer' }, ...(values ?? [])],
    sums: undefined,
    statement: undefined,
    compile: (choice) => compileTotals(template, { by, sums }, choice),
  }
}

/** Returns how the rows can be summed. A column keeps the title that the request gives to it. */
function sumsOf(
  template: Template,
  role: Role,
  chosen: readonly ChosenColumn[],
): FileSums | undefined {
  const { totals } = template
  const titles = new Map(chosen.map(({ column, title }) => [column, title]))
  if (!totals) return undefined
  const by = columnsNamed(template, totals.by, role)
  const columns = columnsNamed(template, totals.columns, role)
  const statement = accountsOf(template, by)
  const summed = (column: TemplateColumn) => {
    const title = titles.get(column) ?? column.name
    return { title, ...selectedColumn(template, column) }
  }
  return {
    by: by.map(summed),
    columns: [...columns, ...(statement?.balances ?? [])].map(summed),
    accounts: statement?.accounts.map((column) => selectedColumn(template, column)),
    byCurrency: currencySumsOf(template, by, columns),
  }
}

/**
 * Returns the columns of accounts and of their balances, if the report has statements and nothing but columns of an
 * account separates its totals.
 */
function accountsOf({ statement, columns }: Template, by: readonly TemplateColumn[]) {
  if (!statement) return undefined
  const { holder, holderId, account, accountId, currency, opening, closing } = statement
  const named = (names: readonly string[]) =>
    names.flatMap((name) => columns.find((one) => one.name === name) ?? [])
  const accounts = named([holder, holderId, account, accountId, currency])
  const isOfAccounts = by.every((column) => accounts.includes(column))
  return isOfAccounts ? { accounts, balances: named([opening, closing]) } : undefined
}

/** Returns the sums over all rows of a currency. The check of report files has found their one currency in `by`. */
function currencySumsOf(
  template: Template,
  by: readonly TemplateColumn[],
  columns: readonly TemplateColumn[],
): CurrencySums | undefined {
  const summed = columns.filter(({ name }) => template.totals?.byCurrency?.includes(name))
  const currency = summed[0] && currencyOf(template, summed[0])
  if (!currency) return undefined
  return { currency: by.indexOf(currency), columns: summed.map((one) => columns.indexOf(one)) }
}

function columnsNamed(
  template: Template,
  names: readonly string[],
  role: Role,
): readonly TemplateColumn[] {
  return template.columns.filter((column) => names.includes(column.name) && isFor(column, role))
}
