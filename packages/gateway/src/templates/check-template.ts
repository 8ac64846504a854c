import * as z from 'zod'
import { type Engine, type EngineValue, readRows } from '../engine/engine.ts'
import type { LedgerTable } from '../ledger/model.ts'
import { checkTree, expectedNoAlias, NO_ROWS, type SqlFault } from './check-sql.ts'
import {
  type Choice,
  compileTemplate,
  compileTotals,
  PLAIN_SELECT,
  splitOrder,
} from './compile-template.ts'
import { type CheckedWords, checkWords } from './check-words.ts'
import { formatInstant } from './instants.ts'
import { exampleValue, isUnreadable, placeholderTypes, readValue } from './parameter-types.ts'
import { parametersOf } from './period.ts'
import { isFor, type LoadedTemplate, type Template, type TemplateParameter } from './template.ts'
import { CHECKED_TIMEZONE, expectedOfAxis, expectedOfKind } from '../clickhouse/column-types.ts'
import { SELECT_SETTINGS } from '../clickhouse/settings.ts'

/** A check runs a query once, over no rows: threads and machine code for it cost more than they save. */
const ONE_RUN = { max_threads: 1, compile_expressions: 0, compile_aggregate_expressions: 0 }

type Values = Readonly<Record<string, EngineValue>>
type Path = readonly PropertyKey[]

/** A part of a report file that can be tried alone. */
interface Piece {
  readonly path: Path
  readonly sql: string
  /** A query of it, where its words are all that is looked at. */
  readonly query: string
  /** The report with nothing in it but this part. */
  readonly alone: Template
  readonly hasValue: Choice['hasValue']
}

/** What reports are checked against beside the engine. */
export interface Known {
  /** The time zones that the engine knows. */
  readonly timezones: ReadonlySet<string>
  /** The functions that a report may not use, in small letters. */
  readonly refused: ReadonlySet<string>
}

/** What was found out about a report file. */
export interface CheckedTemplate {
  /** The tables that it reads. */
  readonly tables: ReadonlySet<LedgerTable>
  /** A line for each fault: file, line, member, what was expected. */
  readonly faults: readonly string[]
}

/**
 * Checks a report on an engine that has the ledger's tables, without reading a row: the words of each piece, then the
 * whole as each role gets it, with a value for each parameter and with none but those that always have one.
 * Where a whole fails, its pieces are tried one by one, so that the fault is named where it is.
 */
export async function checkTemplate(
  { template, file, lineOf }: Omit<LoadedTemplate, 'text'>,
  known: Known,
  engine: Engine,
): Promise<CheckedTemplate> {
  const tables = new Set<LedgerTable>()
  const checked = (faults: readonly Fault[]): CheckedTemplate => {
    const lines = faults.map(({ path, expected }) => {
      return `${file}:${lineOf(path)}: ${z.core.toDotPath(path)}: ${expected}`
    })
    return { tables, faults: lines }
  }
  const texts = textsOf(template)
  const tryQuery = async ({ sql, hasValue }: Whole): Promise<readonly string[]> => {
    const parameters = examples(template, known, hasValue)
    try {
      const read = await checkTree(engine, { sql, parameters, texts }, known.refused)
      for (const table of read.tables) tables.add(table)
      const faults = [...read.faults, ...[...read.sharedAliases].map(expectedNoAlias)]
      if (faults.length > 0) return faults.map(inWords)
      const settings = { ...SELECT_SETTINGS, ...NO_ROWS, ...ONE_RUN }
      await readRows(engine, z.unknown(), {
        sql: `${sql}\nLIMIT 0`,
        parameters,
        settings,
        role: 'report',
      })
      return []
    } catch (error) {
      return [engineWords(error)]
    }
  }
  const stages = stagesOf(template)
  const pieces = stages.flat()
  const words = await checkWords(engine, pieces)
  const early = [
    ...examplesAtFault(template, known),
    ...placeholderFaults(template, pieces, words),
    ...wordFaults(pieces, words),
  ]
  if (early.length > 0) return checked(early)
  const badKinds = await kindFaults(template, known, engine)
  if (badKinds.length > 0) return checked(badKinds)

  for (const whole of wholesOf(template)) {
    const wrong = await tryQuery(whole)
    if (wrong.length === 0) continue
    for (const stage of stages) {
      const faults: Fault[] = []
      for (const { path, alone, hasValue } of stage) {
        const choice = { columns: alone.columns, hasValue, select: PLAIN_SELECT }
        const found = await tryQuery({ sql: compileTemplate(alone, choice), hasValue })
        faults.push(...found.map((expected) => ({ path, expected })))
      }
      if (faults.length > 0) return checked(faults)
    }
    return checked(wrong.map((expected) => ({ path: ['identifier'], expected })))
  }
  return checked([])
}

/** Something that is not as it should be, and where. */
interface Fault {
  readonly path: Path
  readonly expected: string
}

/** A query, and which parameters have a value in it. */
interface Whole {
  readonly sql: string
  readonly hasValue: Choice['hasValue']
}

function wordFaults(pieces: readonly Piece[], words: readonly CheckedWords[]): readonly Fault[] {
  return pieces.flatMap(({ path }, index) => {
    const fault = words[index]?.fault
    return fault ? [{ path, expected: inWords(fault) }] : []
  })
}

/** Placeholders of a type that does not hold every value of their parameter: the engine would bind another one. */
function placeholderFaults(
  template: Template,
  pieces: readonly Piece[],
  words: readonly CheckedWords[],
): readonly Fault[] {
  const types = new Map([
    ['now', ["DateTime64(3, 'UTC')"]],
    ['timezoneName', ['String']],
    ...parametersOf(template).map((parameter) => {
      return [parameter.name, placeholderTypes(parameter)] as const
    }),
  ])
  return pieces.flatMap(({ path }, index) => {
    return (words[index]?.placeholders ?? []).flatMap(({ written, name, type }): Fault[] => {
      const accepted = types.get(name)
      // Of a name that callers would choose, the words say more.
      const isName = type.trim() === 'Identifier'
      if (!accepted || isName || accepted.some((known) => isSameType(known, type))) return []
      const wanted = accepted.map((known) => `{${name}:${known}}`).join(' or ')
      return [{ path, expected: `expected ${wanted}, got ${written}` }]
    })
  })
}

/** The parameters whose values are texts of the caller's. */
function textsOf({ parameters }: Template): ReadonlySet<string> {
  const texts = parameters.filter(({ type }) => type === 'INPUT_TEXT' || type === 'INPUT_SELECT')
  return new Set(texts.map(({ name }) => name))
}

function isSameType(one: string, other: string): boolean {
  return one.replaceAll(/\s/g, '') === other.replaceAll(/\s/g, '')
}

/** Columns whose type their kind does not print, and times of the period that are none. */
async function kindFaults(
  template: Template,
  known: Known,
  engine: Engine,
): Promise<readonly Fault[]> {
  const hasValue = isCertain(template)
  const texts = textsOf(template)
  const typesOf = async (checked: Template): Promise<readonly string[]> => {
    const parameters = { ...examples(template, known, hasValue), timezone: CHECKED_TIMEZONE }
    const select: Choice['select'] = (columns) => columns.map(rawColumn)
    const choice = { hasValue, select, columns: checked.columns }
    try {
      const sql = compileTemplate(checked, choice)
      return (await checkTree(engine, { sql, parameters, texts }, known.refused)).types
    } catch {
      // What the engine does not take has no type. It is named when it is tried with the rest.
      return []
    }
  }
  const axes = Object.entries(template.period?.axes ?? {})
  const columns = axes.map(([, { sql }]) => ({ ...ANYTHING, sql }))
  const axisTypes = axes.length > 0 ? await typesOf({ ...bareTemplate(template), columns }) : []
  const columnTypes = await typesOf(template)
  const fault = (path: Path, wrong: string | undefined): readonly Fault[] => {
    return wrong === undefined ? [] : [{ path, expected: `expected ${wrong}` }]
  }
  return [
    ...axes.flatMap(([name, { kind }], index) => {
      return fault(['period', 'axes', name, 'sql'], expectedOfAxis(kind, axisTypes[index]))
    }),
    ...template.columns.flatMap(({ kind }, index) => {
      return fault(['columns', index, 'sql'], expectedOfKind(kind, columnTypes[index]))
    }),
  ]
}

function rawColumn({ sql }: { readonly sql: string }, index: number): string {
  return `(${sql}\n) AS column_${index}`
}

function inWords({ expected }: SqlFault): string {
  return `expected ${expected}`
}

/**
 * What callers can make of a report: each role's columns, all of them, and totals, by each axis of the period with every
 * parameter, and with none but those that always have a value. A request may choose fewer columns and parameters. Each of
 * them means the same there, because no piece has an alias that another one could use.
 */
function wholesOf(template: Template): readonly Whole[] {
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

/** Tells the parameters that have a value in every request. */
function isCertain(template: Template): Choice['hasValue'] {
  const certain = parametersOf(template).filter((parameter) => {
    return parameter.required || parameter.default !== undefined
  })
  const names = new Set(certain.map(({ name }) => name))
  return (name) => names.has(name)
}

function examples(template: Template, known: Known, hasValue: Choice['hasValue']): Values {
  const values: Record<string, EngineValue> = { now: formatInstant(0), timezoneName: 'UTC' }
  for (const parameter of parametersOf(template).filter(({ name }) => hasValue(name))) {
    const value = readExample(parameter, known)
    if (!isUnreadable(value)) values[parameter.name] = value
  }
  return values
}

// Later than the example of `dateFrom`: the engine skips the conditions of an empty period.
const PERIOD_END = '2026-02-28'

function readExample(parameter: TemplateParameter, { timezones }: Known) {
  const example = parameter.name === 'dateTo' ? PERIOD_END : exampleValue(parameter)
  const written = parameter.default ?? example
  return readValue(parameter, written, { timezone: 'UTC', timezones })
}

/** A default that its own parameter does not take. */
function examplesAtFault(template: Template, known: Known): readonly Fault[] {
  return template.parameters.flatMap((parameter, index) => {
    if (parameter.default === undefined) return []
    const value = readExample(parameter, known)
    if (!isUnreadable(value)) return []
    return [{ path: ['parameters', index, 'default'], expected: `expected ${value.expected}` }]
  })
}

/** The pieces of a report, those first that others are tried with: a fault of theirs would be named at each. */
function stagesOf(template: Template): readonly (readonly Piece[])[] {
  const { period, from, condition, group, having, qualify, columns, order, parameters } = template
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
  const source = from === undefined ? [] : [piece(['from'], from, {})]
  const rows = [
    ...Object.entries(period?.axes ?? {}).map(([name, { sql }]) => {
      return piece(['period', 'axes', name, 'sql'], sql, { condition: `(${sql}\n) IS NULL` })
    }),
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

const ANYTHING = { name: 'any', about: 'any', kind: 'text', optional: false, sql: `'x'` } as const

/** A report of the same rows, with nothing of its own in it. */
function bareTemplate(template: Template): Template {
  const { rows, currencies, identifier, title, description, roles, formats, from } = template
  const about = { rows, currencies, identifier, title, description, roles, formats }
  const bare = { ...about, from, parameters: [] }
  return { ...bare, columns: [ANYTHING], order: [ANYTHING.sql] }
}

/** What the engine said, in one line, without its address book of codes and stack traces. */
function engineWords(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const said = cause instanceof Error ? cause.message : String(cause)
  const words = /DB::Exception: (.*?)(?: In scope SELECT| in scope SELECT|\. \([A-Z_]+\)|$)/s.exec(
    said,
  )
  return (words?.[1] ?? said).replaceAll(/\s+/g, ' ').trim()
}
