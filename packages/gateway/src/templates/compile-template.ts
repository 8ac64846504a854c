import { printed } from '../clickhouse/print-columns.ts'
import { axisOf, periodConditions } from './period.ts'
import type { Template, TemplateColumn } from './template.ts'

/** What of a report is compiled: which columns, which conditions, and how a value is printed. */
export interface Choice {
  readonly columns: readonly TemplateColumn[]
  /** Whether a parameter has a value; conditions on others are left out. */
  readonly hasValue: (parameter: string) => boolean
  /** The axis of the period; the first where none is named. */
  readonly axis?: string | undefined
  /** SQL that every row of the report meets anyway: the engine need not read where it does not hold. */
  readonly within?: string | undefined
  /** What is selected of the columns, as SQL: each of them printed, or all of them written as one line. */
  readonly select: (columns: readonly PrintedColumn[]) => readonly string[]
}

/** What printing a column takes. */
export type PrintedColumn = Pick<TemplateColumn, 'kind' | 'sql'>

/** Selects every column, printed as the specification's sample does. */
export const PLAIN_SELECT: Choice['select'] = (columns) => {
  return columns.map(({ kind, sql }) => printed(kind, sql))
}

/** Compiles a report to one SELECT, with placeholders; its columns go by their places, their titles are the format's. */
export function compileTemplate(template: Template, choice: Choice): string {
  const selected = choice.select(choice.columns)
  return [select(selected), rowsOf(template, choice), orderBy(template.order)].join('\n')
}

/**
 * Compiles the totals of a report: a row for each combination of the `by` columns, with the count of the report's
 * rows and the sums. The report's own rows are what is summed, so groups are made before.
 */
export function compileTotals(
  template: Template,
  totals: { readonly by: readonly TemplateColumn[]; readonly sums: readonly TemplateColumn[] },
  choice: Omit<Choice, 'columns'>,
): string {
  const keys = totals.by.map(({ kind }, index) => ({ kind, sql: `key_${index}` }))
  const sums = totals.sums.map(({ kind }, index) => ({ kind, sql: `sum(value_${index})` }))
  const values = [
    ...totals.by.map(({ sql }, index) => `(${sql}\n) AS key_${index}`),
    ...totals.sums.map(({ sql }, index) => `(${sql}\n) AS value_${index}`),
  ]
  const columns = [...keys, { kind: 'integer', sql: 'count()' } as const, ...sums]
  const names = keys.map(({ sql }) => sql).join(', ')
  return [
    select(choice.select(columns)),
    `FROM (\n${select(values)}\n${rowsOf(template, choice)}\n)`,
    `GROUP BY ${names}\nORDER BY ${names}`,
  ].join('\n')
}

/** Everything between a report's columns and its order. Each piece of the file stands alone in parentheses. */
function rowsOf(
  template: Template,
  { hasValue, axis: name, within }: Omit<Choice, 'columns' | 'select'>,
): string {
  const { from, rows, condition, period, parameters, group, having, qualify } = template
  const axis = axisOf(period, name)
  const conditions = [
    ...(condition === undefined ? [] : [inParentheses(condition)]),
    ...(axis ? periodConditions(axis, hasValue) : []),
    ...(within === undefined ? [] : [within]),
    ...parameters.flatMap((parameter) => {
      const isMet = parameter.condition !== undefined && hasValue(parameter.name)
      return isMet && parameter.condition !== undefined ? [inParentheses(parameter.condition)] : []
    }),
  ]
  return [
    `FROM ${from === undefined ? rows : inParentheses(from)}`,
    ...(conditions.length > 0 ? [`WHERE ${conditions.join('\n  AND ')}`] : []),
    ...(group ? [`GROUP BY ${group.map(inParentheses).join(', ')}`] : []),
    ...(having === undefined ? [] : [`HAVING ${inParentheses(having)}`]),
    ...(qualify === undefined ? [] : [`QUALIFY ${inParentheses(qualify)}`]),
  ].join('\n')
}

function select(columns: readonly string[]): string {
  return `SELECT\n  ${columns.join(',\n  ')}`
}

function orderBy(order: readonly string[]): string {
  return `ORDER BY ${order.map(compileOrder).join(', ')}`
}

/** The expression of an element of `order`, and the direction that may stand after it. */
export function splitOrder(written: string): { readonly sql: string; readonly direction: string } {
  const [, sql = written, direction = ''] = /^(.*?)\s+(ASC|DESC)$/is.exec(written) ?? []
  return { sql, direction }
}

function compileOrder(written: string): string {
  const { sql, direction } = splitOrder(written)
  return `${inParentheses(sql)} ${direction}`.trim()
}

/** The line break ends a comment of the file's, which must not swallow the parenthesis. */
function inParentheses(sql: string): string {
  return `(${sql}\n)`
}
