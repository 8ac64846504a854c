import {
  type Choice,
  compileTemplate,
  compileTotals,
  PLAIN_SELECT,
} from '../template/compile-template.ts'
import { isFor, type Template } from '../template/template.ts'
import { isCertain } from './examples.ts'

/** A complete query of a report, and which parameters have a value in it. */
export interface CompleteQuery {
  readonly sql: string
  readonly hasValue: Choice['hasValue']
}

/**
 * The complete queries of a report for each role: its columns, and its totals. Each query is made for every axis of the
 * period with all parameters, and once with only those parameters that always have a value. A request may choose fewer
 * columns and parameters. They mean the same there, because no piece has an alias that another piece could use.
 */
export function completeQueries(template: Template): readonly CompleteQuery[] {
  const [first, ...others] = template.period ? Object.keys(template.period.axes) : [undefined]
  const all = (): boolean => true
  const queries = new Map<string, CompleteQuery>()
  for (const role of template.roles) {
    const columns = template.columns.filter((column) => isFor(column, role))
    const named = (written: readonly string[] = []) => {
      return columns.filter(({ name }) => written.includes(name))
    }
    const totals = { by: named(template.totals?.by), sums: named(template.totals?.columns) }
    const choices = [
      ...[first, ...others].map((axis) => ({ axis, hasValue: all })),
      { axis: first, hasValue: isCertain(template) },
    ]
    for (const { axis, hasValue } of choices) {
      const choice = { hasValue, axis, select: PLAIN_SELECT }
      const compiled = [compileTemplate(template, { ...choice, columns })]
      if (template.totals) compiled.push(compileTotals(template, totals, choice))
      for (const sql of compiled) queries.set(sql, { sql, hasValue })
    }
  }
  return [...queries.values()]
}
