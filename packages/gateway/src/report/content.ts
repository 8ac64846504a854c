import { fieldProblem } from '../errors.ts'
import type { Role } from '../store/store.ts'
import { type Choice, compileTemplate, compileTotals } from '../templates/compile-template.ts'
import { isFor, type Template, type TemplateColumn } from '../templates/template.ts'
import { chooseColumns } from './columns.ts'
import type { Envelope } from './envelope.ts'

/** The content of a report: the titles of its columns, and a function that compiles the query of its rows or totals. */
export interface Content {
  readonly titles: readonly string[]
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
  totalsOnly: boolean,
): Content {
  if (totalsOnly) return totalsOf(template, outputReportParameters, role)
  const chosen = chooseColumns(template, outputReportParameters, role)
  const columns = chosen.map(({ column }) => column)
  return {
    titles: chosen.map(({ title }) => title),
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
  const named = (names: readonly string[]): readonly TemplateColumn[] => {
    return template.columns.filter((column) => names.includes(column.name) && isFor(column, role))
  }
  const [by, sums] = [named(totals.by), named(totals.columns)]
  return {
    titles: [...by.map(({ name }) => name), 'Rows', ...sums.map(({ name }) => name)],
    compile: (choice) => compileTotals(template, { by, sums }, choice),
  }
}
