import { formatInstant } from '@counterfoil/common'
import type { EngineValue } from '@counterfoil/engine'
import {
  type Choice,
  compileTemplate,
  compileTotals,
  PLAIN_SELECT,
  splitOrder,
} from '../template/compile-template.ts'
import {
  CHANGED_SINCE,
  exampleValue,
  isUnreadable,
  placeholderOf,
  readValue,
  type TemplateParameter,
} from '../template/parameters.ts'
import { isFor, parametersOf, type Template } from '../template/template.ts'

export type Path = readonly PropertyKey[]

/** What the check of a report needs to know about the engine. */
export interface Known {
  readonly timezones: ReadonlySet<string>
  /** The functions that a report may not use, in lower case. */
  readonly refused: ReadonlySet<string>
}

/** Returns a predicate for the parameters that have a value in every request. */
export function isCertain(template: Template): Choice['hasValue'] {
  const certain = parametersOf(template).filter((parameter) => {
    return parameter.required || parameter.default !== undefined
  })
  const names = new Set(certain.map(({ name }) => name))
  return (name) => names.has(name)
}

/** Example values for the chosen parameters of a report, and for the parameters that every report has. */
export function examples(
  template: Template,
  known: Known,
  hasValue: Choice['hasValue'],
): Readonly<Record<string, EngineValue>> {
  const values: Record<string, EngineValue> = {
    now: formatInstant(0),
    timezoneName: 'UTC',
    _changedAfter: formatInstant(0),
    _changedUntil: formatInstant(Date.UTC(2026, 1, 28)),
  }
  for (const parameter of parametersOf(template).filter(({ name }) => hasValue(name))) {
    const value = readExample(parameter, known)
    if (!isUnreadable(value)) values[placeholderOf(parameter.name)] = value
  }
  return values
}

// Later than the example of `dateFrom`, because the engine skips the conditions of an empty period.
const PERIOD_END = '2026-02-28'

export function readExample(parameter: TemplateParameter, { timezones }: Known) {
  const example = parameter.name === 'dateTo' ? PERIOD_END : exampleValue(parameter)
  const written = parameter.default ?? example
  return readValue(parameter, written, { timezone: 'UTC', timezones })
}

/** The parameters whose values reach the engine as texts from the caller. Lists of dates do not. */
export function textsOf({ parameters }: Template): ReadonlySet<string> {
  const texts = parameters.filter(({ type, list }) => {
    const isListOfTexts = list && (type === 'INPUT_NUMBER' || type === 'INPUT_BOOLEAN')
    return type === 'INPUT_TEXT' || type === 'INPUT_SELECT' || isListOfTexts
  })
  return new Set(texts.map(({ name }) => placeholderOf(name)))
}

/** A part of a report file that the check can try alone. */
export interface Piece {
  readonly path: Path
  readonly sql: string
  readonly query: string
  readonly alone: Template
  readonly hasValue: Choice['hasValue']
}

/** The pieces of a report in stages. Later pieces are tried with earlier ones, and would repeat their faults. */
export function stagesOf(template: Template): readonly (readonly Piece[])[] {
  const { from, group, having, qualify } = template
  const certain = isCertain(template)
  /** Returns a piece, if the file has it. `wanted` is a parameter that has a value too. */
  const piece = (
    path: Path,
    sql: string | undefined,
    alone: Partial<Template>,
    wanted?: string,
  ): readonly Piece[] => {
    if (sql === undefined) return []
    const hasValue = (name: string): boolean => name === wanted || certain(name)
    const query = `SELECT (\n${sql}\n)`
    return [{ path, sql, query, alone: { ...bareTemplate(template), ...alone }, hasValue }]
  }
  const tables = piece(['from'], from, {}).map((only) => {
    return { ...only, query: `SELECT 1 FROM (\n${only.sql}\n)` }
  })
  const { changes, condition } = template
  const rows = [
    ...Object.entries(template.period?.axes ?? {}).flatMap(([name, { sql }]) => {
      return piece(['period', 'axes', name, 'sql'], sql, { condition: `(${sql}\n) IS NULL` })
    }),
    ...piece(['changes'], changes, { changes }, CHANGED_SINCE.name),
    ...template.parameters.flatMap(({ name, condition: own }, index) => {
      return piece(['parameters', index, 'condition'], own, { condition: own }, name)
    }),
    ...piece(['condition'], condition, { condition }),
    ...(group ?? []).flatMap((sql, index) => piece(['group', index], sql, { group: [sql] })),
  ]
  const results = [
    ...piece(['having'], having, { group, having }),
    ...piece(['qualify'], qualify, { group, qualify }),
    ...template.columns.flatMap((column, index) => {
      return piece(['columns', index, 'sql'], column.sql, { group, columns: [column] })
    }),
    ...template.order.flatMap((written, index) => {
      return piece(['order', index], splitOrder(written).sql, { group, order: [written] })
    }),
  ]
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
  return { ...about, from, parameters: [], columns: [ANYTHING], order: [ANYTHING.sql] }
}

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
  const axes = template.period ? Object.keys(template.period.axes) : [undefined]
  const choices = [
    ...axes.map((axis) => ({ axis, hasValue: () => true })),
    { axis: axes[0], hasValue: isCertain(template) },
  ]
  const queries = new Map<string, CompleteQuery>()
  for (const role of template.roles) {
    const columns = template.columns.filter((column) => isFor(column, role))
    const named = (written: readonly string[] = []) => {
      return columns.filter(({ name }) => written.includes(name))
    }
    const totals = { by: named(template.totals?.by), sums: named(template.totals?.columns) }
    for (const { axis, hasValue } of choices) {
      const choice = { hasValue, axis, select: PLAIN_SELECT }
      const compiled = [compileTemplate(template, { ...choice, columns })]
      if (template.totals) compiled.push(compileTotals(template, totals, choice))
      for (const sql of compiled) queries.set(sql, { sql, hasValue })
    }
  }
  return [...queries.values()]
}
