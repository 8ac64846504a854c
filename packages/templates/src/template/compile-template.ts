import { printed } from '@counterfoil/engine'
import type { SelectedColumn } from '@counterfoil/formats'
import { CHANGED_SINCE } from './parameters.ts'
import { currencyOf, type Template, type TemplateColumn } from './template.ts'

/** What to compile of a report: the columns, the conditions, and how values are printed. */
export interface Choice {
  readonly columns: readonly TemplateColumn[]
  /** Whether a parameter has a value. Conditions on other parameters are left out. */
  readonly hasValue: (parameter: string) => boolean
  /** The axis of the period. The default is the first axis. */
  readonly axis?: string | undefined
  /** A condition that every row of the report meets anyway. It lets the engine read less. */
  readonly within?: string | undefined
  /** Returns the SQL to select: each column printed, or all columns as one line. */
  readonly select: (columns: readonly SelectedColumn[]) => readonly string[]
}

/** Selects every column, printed like the specification's sample. */
export const PLAIN_SELECT: Choice['select'] = (columns) => {
  return columns.map(({ kind, sql }) => printed(kind, sql))
}

/** Compiles a report to one SELECT with placeholders. Its columns have no titles: the format writes them. */
export function compileTemplate(template: Template, choice: Choice): string {
  const selected = choice.select(choice.columns.map((column) => selectedColumn(template, column)))
  const order = template.order.map(compileOrder).join(', ')
  return [select(selected), rowsOf(template, choice), `ORDER BY ${order}`].join('\n')
}

/** Returns a column as a format selects it. */
export function selectedColumn(template: Template, column: TemplateColumn): SelectedColumn {
  const { kind, sql } = column
  return { kind, sql, currencySql: currencyOf(template, column)?.sql }
}

/**
 * Compiles the totals of a report: a row for each combination of the `by` columns, with the count of the report's rows
 * and the sums. The report's own groups are made first, because the totals sum the rows of the report.
 */
export function compileTotals(
  template: Template,
  totals: { readonly by: readonly TemplateColumn[]; readonly sums: readonly TemplateColumn[] },
  choice: Omit<Choice, 'columns'>,
): string {
  const keys = totals.by.map(({ kind }, index) => ({ kind, sql: `key_${index}` }))
  const sums = totals.sums.map((column, index) => {
    const currency = currencyOf(template, column)
    const currencySql = currency && keys[totals.by.indexOf(currency)]?.sql
    return { kind: column.kind, sql: `sum(value_${index})`, currencySql }
  })
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

/** The SQL between a report's columns and its order. Each piece of the file has its own parentheses. */
function rowsOf(
  template: Template,
  { hasValue, axis: name, within }: Omit<Choice, 'columns' | 'select'>,
): string {
  const { from, rows, condition, period, changes, parameters, group, having, qualify } = template
  const axis = axisOf(period, name)
  const conditions = [
    ...(condition === undefined ? [] : [inParentheses(condition)]),
    ...(axis ? periodConditions(axis, hasValue) : []),
    ...changesConditions(changes, hasValue),
    ...(within === undefined ? [] : [within]),
    ...parameters.flatMap(({ name: parameter, condition: own }) => {
      return own !== undefined && hasValue(parameter) ? [inParentheses(own)] : []
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

/** Splits an element of `order` into its expression and its direction, if it has one. */
export function splitOrder(written: string): { readonly sql: string; readonly direction: string } {
  const [, sql = written, direction = ''] = /^(.*?)\s+(ASC|DESC)$/is.exec(written) ?? []
  return { sql, direction }
}

function compileOrder(written: string): string {
  const { sql, direction } = splitOrder(written)
  return `${inParentheses(sql)} ${direction}`.trim()
}

/** The line break ends a comment at the end of the piece, which would hide the parenthesis. */
function inParentheses(sql: string): string {
  return `(${sql}\n)`
}

type Axis = NonNullable<Template['period']>['axes'][string]

/** The axis with a name. Without a name it is the first axis, and without a period `undefined`. */
export function axisOf(period: Template['period'], name: string | undefined): Axis | undefined {
  return period?.axes[name ?? Object.keys(period.axes)[0] ?? '']
}

const ENDS = [
  { name: 'dateFrom', operator: '>=', nearest: 'max' },
  { name: 'dateTo', operator: '<', nearest: 'min' },
] as const

/**
 * Returns conditions for the rows of a period, one for each end that has a value. For groups, the conditions use the
 * smallest and the largest value, and hold for every group that may have such a row.
 */
export function periodConditions(
  { sql, kind }: Axis,
  hasValue: (parameter: string) => boolean,
  of: 'rows' | 'groups' = 'rows',
): readonly string[] {
  return ENDS.filter(({ name }) => hasValue(name)).map(({ name, operator, nearest }) => {
    const instant = `{${name}:DateTime64(3, 'UTC')}`
    // A day has no hour, so it is compared with the day of the bound in the report's time zone.
    const bound = kind === 'date' ? `toDate32(toTimeZone(${instant}, {timezone:String}))` : instant
    return `${of === 'groups' ? nearest : ''}(${sql}\n) ${operator} ${bound}`
  })
}

/** The rows that changed after the cursor, up to the watermark. No report file can use the names of both ends. */
function changesConditions(
  changes: string | undefined,
  hasValue: (parameter: string) => boolean,
): readonly string[] {
  if (changes === undefined || !hasValue(CHANGED_SINCE.name)) return []
  return [
    `(${changes}\n) > {_changedAfter:DateTime64(3, 'UTC')}`,
    `(${changes}\n) <= {_changedUntil:DateTime64(3, 'UTC')}`,
  ]
}
