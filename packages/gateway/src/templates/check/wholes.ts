import { type Choice, compileTemplate, compileTotals, PLAIN_SELECT } from '../compile-template.ts'
import { isFor, type Template } from '../template.ts'
import { isCertain } from './examples.ts'

/** A query, and which parameters have a value in it. */
export interface Whole {
  readonly sql: string
  readonly hasValue: Choice['hasValue']
}

/**
 * What callers can make of a report: each role's columns, all of them, and totals, by each axis of the period with every
 * parameter, and with none but those that always have a value. A request may choose fewer columns and parameters. Each of
 * them means the same there, because no piece has an alias that another one could use.
 */
export function wholesOf(template: Template): readonly Whole[] {
  const [first, ...others] = template.period ? Object.keys(template.period.axes) : [undefined]
  const all = (): boolean => true
  const wholes = new Map<string, Whole>()
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
      const queries = [compileTemplate(template, { ...choice, columns })]
      if (template.totals) queries.push(compileTotals(template, totals, choice))
      for (const sql of queries) wholes.set(sql, { sql, hasValue })
    }
  }
  return [...wholes.values()]
}
