import {
  CHECKED_TIMEZONE,
  expectedOfAxis,
  expectedOfKind,
  parseColumnTypes,
  type Queries,
} from '@counterfoil/engine'
import { type Choice, compileTemplate } from '../template/compile-template.ts'
import type { Template } from '../template/template.ts'
import { checkTree, explainTree } from './check-sql.ts'
import { examples, isCertain, textsOf } from './examples.ts'
import type { Fault, Known, Path } from './fault.ts'
import { ANYTHING, bareTemplate } from './pieces.ts'

/** Finds columns whose type their kind cannot print, and axes of the period that are not times or days. */
export async function kindFaults(
  template: Template,
  known: Known,
  engine: Queries,
): Promise<readonly Fault[]> {
  const hasValue = isCertain(template)
  const texts = textsOf(template)
  const typesOf = async (checked: Template): Promise<readonly string[]> => {
    const parameters = { ...examples(template, known, hasValue), timezone: CHECKED_TIMEZONE }
    const select: Choice['select'] = (columns) => columns.map(rawColumn)
    const choice = { hasValue, select, columns: checked.columns }
    try {
      const sql = compileTemplate(checked, choice)
      const { faults } = await checkTree(engine, { sql, parameters, texts }, known.refused)
      // To resolve names, the engine would open the file or address of a table function.
      if (faults.length > 0) return []
      return parseColumnTypes(await explainTree(engine, { sql, parameters }, 'passes = 1'))
    } catch {
      // SQL that the engine refuses has no type. The later checks report its fault.
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
