import { CHANGED_SINCE } from '../template/changes.ts'
import { type Choice, splitOrder } from '../template/compile-template.ts'
import type { Template } from '../template/template.ts'
import { isCertain } from './examples.ts'
import type { Path } from './fault.ts'

/** A part of a report file that the check can try alone. */
export interface Piece {
  readonly path: Path
  readonly sql: string
  /** A query for the check of the piece's tokens. */
  readonly query: string
  /** The report with only this piece. */
  readonly alone: Template
  readonly hasValue: Choice['hasValue']
}

/**
 * The pieces of a report in stages. Later pieces are tried together with earlier ones, and would repeat their faults.
 */
export function stagesOf(template: Template): readonly (readonly Piece[])[] {
  const { period, changes, from, condition, group, having, qualify, columns, order, parameters } =
    template
  const certain = isCertain(template)
  const piece = (
    path: Path,
    sql: string,
    alone: Partial<Template>,
    hasValue: Choice['hasValue'] = certain,
  ): Piece => {
    const query = `SELECT (\n${sql}\n)`
    return { path, sql, query, alone: { ...bareTemplate(template), ...alone }, hasValue }
  }
  const isChanged = (name: string): boolean => name === CHANGED_SINCE.name || certain(name)
  const source = from === undefined ? [] : [piece(['from'], from, {})]
  const rows = [
    ...Object.entries(period?.axes ?? {}).map(([name, { sql }]) => {
      return piece(['period', 'axes', name, 'sql'], sql, { condition: `(${sql}\n) IS NULL` })
    }),
    ...(changes === undefined ? [] : [piece(['changes'], changes, { changes }, isChanged)]),
    ...parameters.flatMap((parameter, index) => {
      if (parameter.condition === undefined) return []
      const hasValue = (name: string): boolean => name === parameter.name || certain(name)
      const path = ['parameters', index, 'condition']
      return [piece(path, parameter.condition, { condition: parameter.condition }, hasValue)]
    }),
    ...(condition === undefined ? [] : [piece(['condition'], condition, { condition })]),
    ...(group ?? []).map((sql, index) => piece(['group', index], sql, { group: [sql] })),
  ]
  const results = [
    ...(having === undefined ? [] : [piece(['having'], having, { group, having })]),
    ...(qualify === undefined ? [] : [piece(['qualify'], qualify, { group, qualify })]),
    ...columns.map((column, index) => {
      return piece(['columns', index, 'sql'], column.sql, { group, columns: [column] })
    }),
    ...order.map((written, index) => {
      return piece(['order', index], splitOrder(written).sql, { group, order: [written] })
    }),
  ]
  const tables = source.map((only) => ({ ...only, query: `SELECT 1 FROM (\n${only.sql}\n)` }))
  return group ? [tables, rows, results] : [tables, [...rows, ...results]]
}

/** A column that is valid in every report. */
export const ANYTHING = {
  name: 'any',
  about: 'any',
  kind: 'text',
  optional: false,
  sql: `'x'`,
} as const

/** The same report without conditions, parameters and columns of its own. */
export function bareTemplate(template: Template): Template {
  const { rows, currencies, identifier, title, description, roles, formats, from } = template
  const about = { rows, currencies, identifier, title, description, roles, formats }
  const bare = { ...about, from, parameters: [] }
  return { ...bare, columns: [ANYTHING], order: [ANYTHING.sql] }
}
