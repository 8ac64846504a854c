import { printed } from './column-kinds.ts'
import type { Template } from './template.ts'

/** The parts of a report's query, each as SQL with placeholders. */
export interface TemplateQuery {
  /** One for each column: what prints it, and its title. */
  readonly columns: readonly string[]
  readonly from: string
  readonly conditions: readonly string[]
  readonly order: readonly string[]
}

/**
 * The settings that every report runs under: it reads and nothing else, and a column's title that is also the name of
 * a ledger's column does not stand in for it.
 */
export const SELECT_SETTINGS = { readonly: 1, prefer_column_name_to_alias: 1 } as const

/** Compiles a report; of the conditions that hang on parameters, those of the parameters that have a value. */
export function compileTemplate(
  template: Template,
  hasValue: (parameter: string) => boolean,
): TemplateQuery {
  const { columns, from, condition, parameters, order } = template
  const optional = parameters.filter(({ name }) => hasValue(name))
  return {
    columns: columns.map(({ name, kind, sql }) => `${printed(kind, sql)} AS \`${name}\``),
    // FINAL: of a transaction that came again, its latest version alone.
    from: `${from} FINAL`,
    conditions: [condition, ...optional.map((parameter) => parameter.condition)]
      .filter((sql) => sql !== undefined)
      .map((sql) => `(${sql})`),
    order,
  }
}

/** Writes a query's parts as one SELECT. */
export function formatSelect({ columns, from, conditions, order }: TemplateQuery): string {
  const where = conditions.length > 0 ? `\nWHERE ${conditions.join('\n  AND ')}` : ''
  const orderBy = order.length > 0 ? `\nORDER BY ${order.join(', ')}` : ''
  return `SELECT\n  ${columns.join(',\n  ')}\nFROM ${from}${where}${orderBy}`
}
