import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalogue } from '../../../templates/src/template/load-templates.ts'
import type { ScratchLedger } from './scratch-ledger.ts'

/** The pieces of a report that hold SQL. */
export interface PlantedSql {
  readonly from?: string
  readonly condition?: string
  readonly group?: string
  readonly having?: string
  readonly qualify?: string
  readonly column?: string
  readonly order?: string
  readonly parameter?: string
  readonly axis?: string
}

const KEYS: Readonly<Record<keyof PlantedSql, readonly [line: RegExp, path: string]>> = {
  from: [/^from: /, 'from'],
  condition: [/^condition: /, 'condition'],
  group: [/^group: /, 'group[0]'],
  having: [/^having: /, 'having'],
  qualify: [/^qualify: /, 'qualify'],
  column: [/^ {4}sql: /, 'columns[0].sql'],
  order: [/^order: /, 'order[0]'],
  parameter: [/^ {4}condition: /, 'parameters[0].condition'],
  axis: [/^ {4}created: /, 'period.axes.created.sql'],
}

/** Writes a report file with one column. A line of JSON is valid YAML, whatever the SQL is. */
export function writePlanted({
  column = 'transaction_id',
  kind = 'text',
  ...sql
}: PlantedSql & { readonly kind?: string }) {
  const line = (name: string, value: string | undefined): readonly string[] => {
    return value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`]
  }
  const list = (name: string, value: string | undefined): readonly string[] => {
    return value === undefined ? [] : [`${name}: [${JSON.stringify(value)}]`]
  }
  return [
    'identifier: planted',
    'title: Planted',
    'description: For tests of what is refused.',
    'roles: [operator, merchant]',
    'formats: [CSV]',
    'period:',
    '  axes:',
    `    created: {sql: ${JSON.stringify(sql.axis ?? 'created_at')}}`,
    'parameters:',
    '  - name: search',
    '    title: Search',
    '    type: INPUT_TEXT',
    ...line('    condition', sql.parameter),
    ...line('from', sql.from),
    ...line('condition', sql.condition),
    ...list('group', sql.group),
    ...line('having', sql.having),
    ...line('qualify', sql.qualify),
    'columns:',
    '  - name: Column',
    `    kind: ${kind}`,
    '    about: for the test',
    ...line('    sql', column),
    ...list('order', sql.order ?? (sql.group === undefined ? 'transaction_id' : sql.group)),
  ]
}

/** Checks a report file, and returns its faults without the folder. */
export async function checkPlanted(
  ledger: ScratchLedger,
  lines: readonly string[],
): Promise<readonly string[]> {
  const folder = join(ledger.folder, 'reports')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  writeFileSync(join(folder, 'planted.yaml'), lines.join('\n'))
  try {
    await loadCatalogue(folder, ledger.engine)
    return []
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return message.replaceAll(`${folder}/`, '').split('\n')
  }
}

/** Checks some pieces. A fault of the first piece starts with `own: `, and other faults with their place. */
export async function faultsOf(ledger: ScratchLedger, sql: PlantedSql): Promise<readonly string[]> {
  const lines = writePlanted(sql)
  const [place] = Object.keys(sql) as (keyof PlantedSql)[]
  const [key, path] = KEYS[place ?? 'from']
  const line = lines.findIndex((text) => key.test(text)) + 1
  const faults = await checkPlanted(ledger, lines)
  return faults.map((fault) => fault.replace(`planted.yaml:${line}: ${path}: expected `, 'own: '))
}
