import * as z from 'zod'
import type { FilterName } from '@counterfoil/protocol'
import { type Queries, readRows } from '@counterfoil/engine'
import { FILTER_COLUMNS } from './hierarchy.ts'
import { isLedgerTable, LEDGER_TABLES, storedColumns } from './model.ts'

type NamedTable = Exclude<FilterName, 'currencies'>

export function isNamedTable(table: string): table is NamedTable {
  return table !== 'currencies' && Object.hasOwn(FILTER_COLUMNS, table)
}

const STATEMENT_NAMES = ['merchants', 'companies', 'managers', 'resellers', 'projects'] as const

/** The tables with name columns, such as `merchant_name`, and the tables of these names. */
const NAMES_IN = new Map<string, readonly NamedTable[]>([
  ['statements', STATEMENT_NAMES],
  ['transactions', [...STATEMENT_NAMES, 'endpoints', 'gates', 'processors']],
])

// The dictionary never reads its table again. Only an import changes the names of an embedded ledger.
const PINNED = 'LIFETIME(0)'

const dictionaryRow = z.object({ name: z.string(), is_used: z.number() })

/** The first dictionary of a table of names, such as `merchant_names`. Later ones have a number after this name. */
const dictionaryOf = (table: NamedTable) => FILTER_COLUMNS[table].replace(/_id$/, '_names')
const nameColumnOf = (table: NamedTable) => FILTER_COLUMNS[table].replace(/_id$/, '_name')

/**
 * Returns SQL that creates a dictionary. Name columns read dictionaries: a join instead would make the engine sort the
 * complete report.
 */
export function createDictionary(
  table: NamedTable,
  name = dictionaryOf(table),
  lifetime = 'LIFETIME(MIN 60 MAX 120)',
): string {
  const id = FILTER_COLUMNS[table]
  return `CREATE DICTIONARY IF NOT EXISTS ${name} (${id} String, name String)
PRIMARY KEY ${id}
SOURCE(CLICKHOUSE(QUERY 'SELECT ${id}, name FROM default.${table} FINAL'))
LAYOUT(COMPLEX_KEY_HASHED())
${lifetime}`
}

/**
 * The columns that reports may read, by table: the ledger's columns and the name columns. The engine has more columns,
 * such as `_part`. They reveal facts about the rows of all merchants.
 */
export const REPORT_COLUMNS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.keys(LEDGER_TABLES)
    .filter(isLedgerTable)
    .map((table) => {
      const names = NAMES_IN.get(table) ?? []
      return [table, [...Object.keys(storedColumns(table)), ...names.map(nameColumnOf)]]
    }),
)

export function nameColumns(table: string): readonly string[] {
  return (NAMES_IN.get(table) ?? []).map((named) => nameColumn(named, dictionaryOf(named)))
}

function nameColumn(table: NamedTable, dictionary: string): string {
  const type = table === 'resellers' ? 'Nullable(String)' : 'String'
  return `${nameColumnOf(table)} ${type} ALIAS dictGet('${dictionary}', 'name', ${FILTER_COLUMNS[table]})`
}

/**
 * Prepares changed names for new reports. They get a new dictionary, because a running report goes on with the one that
 * it began with. The dictionary is loaded before the names change, so that a lack of memory is found in time.
 */
export async function prepareNames(engine: Queries, table: NamedTable) {
  const pattern = new RegExp(`^${dictionaryOf(table)}(_(\\d+))?$`)
  const known = (await readDictionaries(engine)).filter(({ name }) => pattern.test(name))
  const last = Math.max(1, ...known.map(({ name }) => Number(pattern.exec(name)?.[2] ?? 1)))
  const next = `${dictionaryOf(table)}_${last + 1}`
  const reload = `SYSTEM RELOAD DICTIONARY ${next}`
  await engine.execute(createDictionary(table, next, PINNED))
  await engine.execute(reload)
  const named = [...NAMES_IN].filter(([, tables]) => tables.includes(table))
  return {
    /** Statements that show the names to new reports. They may run twice. */
    statements: [
      reload,
      ...named.map(([of]) => `ALTER TABLE ${of} MODIFY COLUMN ${nameColumn(table, next)}`),
    ],
    /** The dictionary that reports used before. */
    former: known.find(({ is_used: isUsed }) => isUsed)?.name,
  }
}

/** Drops the dictionaries that new reports do not use. No report may run. */
export async function dropUnusedNames(engine: Queries): Promise<void> {
  for (const { name, is_used: isUsed } of await readDictionaries(engine)) {
    if (!isUsed) await dropNames(engine, name)
  }
}

export async function dropNames(engine: Queries, dictionary: string): Promise<void> {
  await engine.execute(`DROP DICTIONARY IF EXISTS ${dictionary}`)
}

/** Reads the dictionaries of names. New reports use some of them. */
async function readDictionaries(engine: Queries) {
  const sql = `SELECT name, name IN (
      SELECT splitByChar('.', splitByChar('''', default_expression)[2])[-1] FROM system.columns
      WHERE database = currentDatabase() AND table = 'transactions' AND default_kind = 'ALIAS') AS is_used
    FROM system.tables WHERE database = currentDatabase() AND engine = 'Dictionary'`
  return await readRows(engine, dictionaryRow, sql)
}

/** Reads all names again. Running reports may change their names in the middle. */
export const RELOAD_NAMES = 'SYSTEM RELOAD DICTIONARIES'
