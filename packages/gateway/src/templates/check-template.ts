import * as z from 'zod'
import { type Engine, type EngineValue, readRows } from '../engine/engine.ts'
import { formatInstant } from './instants.ts'
import {
  compileTemplate,
  formatSelect,
  SELECT_SETTINGS,
  type TemplateQuery,
} from './compile-template.ts'
import { exampleValue, isUnreadable, readValue } from './parameter-types.ts'
import type { LoadedTemplate, Template } from './template.ts'

type Values = Readonly<Record<string, EngineValue>>

/** A part of a report file that can be tried alone, with the values that it may count on. */
interface Piece {
  readonly path: readonly PropertyKey[]
  readonly query: TemplateQuery
  readonly values: Values
}

/**
 * Tries a report on the engine without reading a row: once with a value for each parameter, once with none but those
 * that always have one. Returns a line for each fault: file, line, member, and what the engine said.
 */
export async function checkTemplate(
  { template, file, lineOf }: LoadedTemplate,
  timezones: ReadonlySet<string>,
  engine: Engine,
): Promise<readonly string[]> {
  const fault = async ({ path, query, values }: Piece): Promise<string[]> => {
    try {
      const sql = `${formatSelect(query)}\nLIMIT 0`
      await readRows(engine, z.unknown(), { sql, parameters: values, settings: SELECT_SETTINGS })
      return []
    } catch (error) {
      return [`${file}:${lineOf(path)}: ${z.core.toDotPath(path)}: ${engineWords(error)}`]
    }
  }
  const wholes = [() => true, isCertain(template)].map((hasValue): Piece => {
    const query = compileTemplate(template, hasValue)
    return { path: ['identifier'], query, values: examples(template, timezones, hasValue) }
  })
  const wrong: string[] = []
  for (const whole of wholes) wrong.push(...(await fault(whole)))
  if (wrong.length === 0) return []
  const faults: string[] = []
  for (const piece of pieces(template, timezones)) faults.push(...(await fault(piece)))
  return faults.length > 0 ? faults : wrong
}

/** Tells the parameters that have a value in every request. */
function isCertain(template: Template): (name: string) => boolean {
  const certain = template.parameters.filter((parameter) => {
    return parameter.required || parameter.default !== undefined
  })
  const names = new Set(certain.map(({ name }) => name))
  return (name) => names.has(name)
}

function examples(
  template: Template,
  timezones: ReadonlySet<string>,
  hasValue: (name: string) => boolean,
): Values {
  const context = { timezone: 'UTC', timezones }
  const values: Record<string, EngineValue> = { now: formatInstant(0) }
  for (const parameter of template.parameters.filter(({ name }) => hasValue(name))) {
    const value = readValue(parameter, parameter.default ?? exampleValue(parameter), context)
    if (!isUnreadable(value)) values[parameter.name] = value
  }
  return values
}

function pieces(template: Template, timezones: ReadonlySet<string>): readonly Piece[] {
  const all = compileTemplate(template, () => true)
  const certain = isCertain(template)
  const piece = (
    path: readonly PropertyKey[],
    part: Partial<TemplateQuery>,
    hasValue: (name: string) => boolean = certain,
  ): Piece => {
    const query = { columns: ['1'], from: all.from, conditions: [], order: [], ...part }
    return { path, query, values: examples(template, timezones, hasValue) }
  }
  const { parameters, condition } = template
  return [
    ...all.columns.map((column, index) => piece(['columns', index, 'sql'], { columns: [column] })),
    ...parameters.flatMap((parameter, index) => {
      if (parameter.condition === undefined) return []
      const hasValue = (name: string): boolean => name === parameter.name || certain(name)
      const conditions = [parameter.condition]
      return [piece(['parameters', index, 'condition'], { conditions }, hasValue)]
    }),
    ...(condition === undefined ? [] : [piece(['condition'], { conditions: [condition] })]),
    ...template.order.map((sql, index) => piece(['order', index], { order: [sql] })),
  ]
}

/** What the engine said, in one line, without its address book of codes and stack traces. */
function engineWords(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const text = cause instanceof Error ? cause.message : String(cause)
  const words = /DB::Exception: (.*?)(?: In scope SELECT| in scope SELECT|\. \([A-Z_]+\)|$)/s.exec(
    text,
  )
  return (words?.[1] ?? text).replaceAll(/\s+/g, ' ').trim()
}
