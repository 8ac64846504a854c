import { createHash } from 'node:crypto'
import { holdsCardNumber, type ProblemFault } from '@counterfoil/protocol'
import { fieldProblem, type Role } from '@counterfoil/common'
import type {
  CurrencySums,
  FileColumn,
  FileSums,
  Format,
  LayoutColumn,
  StatementLayout,
  StatementRole,
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
import type { Envelope } from './envelope.ts'

/** The content of a report: its columns, and a function that compiles the query of its rows or totals. */
export interface Content {
  readonly columns: readonly FileColumn[]
  readonly sums?: FileSums | undefined
  /** The layout of statements, if the content is rows and the request names no columns. */
  readonly statement?: StatementLayout | undefined
  readonly compile: (choice: Omit<Choice, 'columns'>) => string
}

type Elements = Envelope['outputReportParameters']

/** Chooses the content of a report: its totals, or its rows with the columns that the request names. */
export function chooseContent(
  template: Template,
  { outputReportParameters: elements }: { readonly outputReportParameters: Elements },
  role: Role,
  format: Pick<Format, 'isDocument'>,
  totalsOnly: boolean,
): Content {
  if (totalsOnly) return totalsOf(template, elements, role)
  const chosen = chooseColumns(template, elements, role, format)
  const columns = chosen.map(({ column }) => column)
  return {
    columns: chosen.map(({ column: { kind }, title }) => ({ kind, title })),
    sums: sumsOf(template, role, chosen),
    statement: elements.length > 0 ? undefined : statementOf(template),
    compile: (choice) => compileTemplate(template, { ...choice, columns }),
  }
}

interface ChosenColumn {
  readonly column: TemplateColumn
  readonly title: string
}

const TITLE = /^[^\p{Cc}\p{Cs}]{1,100}$/u
const TITLE_EXPECTED = 'a title of 1 to 100 characters, without control characters'

/**
 * Chooses the columns of a report with their order and titles: the columns that `outputReportParameters` names, or all
 * columns that are not optional. A document also gets the optional columns that separate its totals: its reader would
 * otherwise sum amounts that do not belong together.
 *
 * @throws `invalid-parameter`, which lists the report's columns that this role may see
 */
export function chooseColumns(
  template: Template,
  elements: Elements,
  role: Role,
  { isDocument = false }: { readonly isDocument?: boolean } = {},
): readonly ChosenColumn[] {
  const known = template.columns.filter((column) => isFor(column, role))
  if (elements.length === 0) {
    return known
      .filter(({ name, optional }) => {
        return !optional || (isDocument && template.totals?.by.includes(name))
      })
      .map((column) => ({ column, title: column.name }))
  }
  const faults: ProblemFault[] = []
  const chosen: ChosenColumn[] = []
  for (const [index, element] of elements.entries()) {
    const pointer = `/outputReportParameters/${index}`
    const isName = typeof element === 'string'
    const name = isName ? element : element.name
    const column = known.find((candidate) => candidate.name === name)
    if (!column) {
      const names = known.map((other) => other.name).join(', ')
      const expected = `one of this report's columns: ${names}`
      faults.push({ pointer: isName ? pointer : `${pointer}/name`, expected })
      continue
    }
    const title = isName || element.value === '' ? name : element.value
    if (!TITLE.test(title)) {
      faults.push({ pointer: `${pointer}/value`, expected: TITLE_EXPECTED })
    } else if (holdsCardNumber(title)) {
      faults.push({ pointer: `${pointer}/value`, expected: 'a title without a card number' })
    } else if (chosen.some((other) => other.column === column)) {
      faults.push({ pointer, expected: `${name} once` })
    } else if (chosen.some((other) => other.title === title)) {
      faults.push({ pointer, expected: `a unique title, got ${title} again` })
    }
    chosen.push({ column, title })
  }
  if (faults.length > 0) throw fieldProblem('invalid-parameter', faults)
  return chosen
}

function totalsOf(template: Template, elements: Elements, role: Role): Content {
  const { totals } = template
  const invalid = (member: string, expected: string) => {
    return fieldProblem('invalid-parameter', [{ pointer: `/${member}`, expected }])
  }
  if (!totals) throw invalid('configurationReportParameters', 'no totals: this report has none')
  if (elements.length > 0) {
    const expected = 'none beside totals: the report file sets the columns of totals'
    throw invalid('outputReportParameters', expected)
  }
  const by = columnsNamed(template, totals.by, role)
  const sums = columnsNamed(template, totals.columns, role)
  const titled = ({ name, kind }: TemplateColumn): FileColumn => ({ title: name, kind })
  return {
    columns: [...by.map(titled), { title: 'Rows', kind: 'integer' }, ...sums.map(titled)],
    compile: (choice) => compileTotals(template, { by, sums }, choice),
  }
}

/** What identifies an account in its statements. */
export const ACCOUNT_ROLES = ['holder', 'holderId', 'account', 'accountId', 'currency'] as const

/** Returns how the rows can be summed. A column keeps the title that the request gives to it. */
function sumsOf(
  template: Template,
  role: Role,
  chosen: readonly ChosenColumn[],
): FileSums | undefined {
  const { totals, statement } = template
  if (!totals) return undefined
  const by = columnsNamed(template, totals.by, role)
  const columns = columnsNamed(template, totals.columns, role)
  const summed = (column: TemplateColumn): LayoutColumn => {
    const title = chosen.find((one) => one.column === column)?.title ?? column.name
    return { title, ...selectedColumn(template, column) }
  }
  const named = (names: readonly string[]) => names.map((name) => columnNamed(template, name))
  const accounts = statement ? named(ACCOUNT_ROLES.map((name) => statement[name])) : []
  // An account's balances have totals only if nothing but columns of an account separates the totals.
  const isOfAccounts = statement && by.every((column) => accounts.includes(column))
  const balances = isOfAccounts ? named([statement.opening, statement.closing]) : []
  return {
    by: by.map(summed),
    columns: [...columns, ...balances].map(summed),
    ...(isOfAccounts && { accounts: accounts.map((one) => selectedColumn(template, one)) }),
    byCurrency: currencySumsOf(template, by, columns),
  }
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

function statementOf(template: Template): StatementLayout | undefined {
  const { statement } = template
  if (!statement) return undefined
  const layout = (name: string): LayoutColumn => {
    return { title: name, ...selectedColumn(template, columnNamed(template, name)) }
  }
  const of = (role: StatementRole): LayoutColumn => layout(statement[role])
  return {
    columns: {
      holder: of('holder'),
      holderId: of('holderId'),
      account: of('account'),
      accountId: of('accountId'),
      currency: of('currency'),
      statement: of('statement'),
      day: of('day'),
      opening: of('opening'),
      closing: of('closing'),
    },
    entries: statement.entries.map(({ title, count, fees, credit, debit }) => ({
      title,
      count: count === undefined ? undefined : layout(count),
      fees: fees === undefined ? undefined : layout(fees),
      amount: layout(credit ?? debit ?? ''),
      isCredit: credit !== undefined,
    })),
  }
}

/** Returns the column of a name. The check of report files has found it, and every role has it. */
function columnNamed({ columns }: Template, name: string): TemplateColumn {
  const column = columns.find((candidate) => candidate.name === name)
  if (!column) throw new Error(`The report has no column ${name}.`)
  return column
}

/** Returns the columns of some names that a role has, in the order of the report. */
function columnsNamed(
  { columns }: Template,
  names: readonly string[],
  role: Role,
): readonly TemplateColumn[] {
  return columns.filter((column) => names.includes(column.name) && isFor(column, role))
}

/** Returns a short hash of the columns that a role may see, which changes when they change. */
export function schemaHashOf({ identifier, columns }: Template, role: Role): string {
  const seen = columns
    .filter((column) => isFor(column, role))
    .map(({ name, kind, optional }) => [name, kind, optional])
  return createHash('sha256')
    .update(JSON.stringify([identifier, seen]))
    .digest('hex')
    .slice(0, 16)
}
