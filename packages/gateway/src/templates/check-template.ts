import * as z from 'zod'
import { type Engine, type EngineValue, readRows } from '../engine/engine.ts'
import { formatInstant } from './instants.ts'
import { compileTemplate, formatSelect, type TemplateQuery } from './compile-template.ts'
import { exampleValue, isUnreadable, readValue } from './parameter-types.ts'
import type { LoadedTemplate, Template } from './template.ts'

/** A part of a report file that can be tried alone. */
interface Piece {
  readonly path: readonly PropertyKey[]
  readonly query: TemplateQuery
}

/**
 * Tries a report on the engine, with an example for each parameter and without reading a row.
 * Returns a line for each fault: file, line, member, and what the engine said.
 */
export async function checkTemplate(
  { template, file, lineOf }: LoadedTemplate,
  timezones: ReadonlySet<string>,
  engine: Engine,
): Promise<readonly string[]> {
  const parameters = examples(template, timezones)
  const fault = async (piece: Piece): Promise<string | undefined> => {
    try {
      await readRows(engine, z.unknown(), {
        sql: `${formatSelect(piece.query)}\nLIMIT 0`,
        parameters,
      })
      return undefined
    } catch (error) {
      const line = lineOf(piece.path)
      return `${file}:${line}: ${piece.path.join('.')}: ${engineWords(error)}`
    }
  }
  const whole = await fault({ path: ['identifier'], query: compileTemplate(template, () => true) })
  if (whole === undefined) return []
  const faults: string[] = []
  for (const piece of pieces(template)) {
    const found = await fault(piece)
    if (found !== undefined) faults.push(found)
  }
  return faults.length > 0 ? faults : [whole]
}

function examples(
  template: Template,
  timezones: ReadonlySet<string>,
): Readonly<Record<string, EngineValue>> {
  const context = { timezone: 'UTC', timezones }
  const values: Record<string, EngineValue> = { now: formatInstant(0) }
  for (const parameter of template.parameters) {
    const value = readValue(parameter, parameter.default ?? exampleValue(parameter), context)
    if (!isUnreadable(value)) values[parameter.name] = value
  }
  return values
}

function pieces(template: Template): readonly Piece[] {
  const all = compileTemplate(template, () => true)
  const bare = { columns: ['1'], from: all.from, conditions: [], order: [] }
  return [
    ...all.columns.map((column, index) => ({
      path: ['columns', index, 'sql'],
      query: { ...bare, columns: [column] },
    })),
    ...template.parameters.flatMap(({ condition }, index) =>
      condition === undefined
        ? []
        : [
            {
              path: ['parameters', index, 'condition'],
              query: { ...bare, conditions: [condition] },
            },
          ],
    ),
    ...(template.condition === undefined
      ? []
      : [{ path: ['condition'], query: { ...bare, conditions: [template.condition] } }]),
    ...template.order.map((sql, index) => ({
      path: ['order', index],
      query: { ...bare, order: [sql] },
    })),
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
