import * as z from 'zod'
import { clickHouseCode, literals, type Queries, readRows } from '@counterfoil/engine'
import { GatewayError, isProblemCode, LIMITS } from '@counterfoil/common'
import { nearestName } from '@counterfoil/protocol'
import { LEDGER_TABLES, type LedgerColumns } from '../../model/model.ts'
import { isRequired } from '../table-rules.ts'
import type { Source } from './source.ts'
import { identifier, LINES_PER_FILE } from './stage-file.ts'

/** The table with the rows of the files. A SELECT reads it as `file`. */
export const STAGED = 'import_source'

/** Columns of a SELECT that are not of the ledger. */
export const LINE = '_line'
export const SKIP = '_skip'
export const REFUSE = '_refuse'
/** What a sync reads of each row beside the columns of its query. */
export const SYNC_COLUMNS = ['_key', '_day', '_hash', '_changed'] as const
export const OWN_COLUMNS: ReadonlySet<string> = new Set([LINE, SKIP, REFUSE])

// How many columns of a file an error names.
const NAMED_MAX = 30

export function lookupTable(name: string): string {
  return `import_lookup_${name}`
}

const columnRow = z.object({ name: z.string(), type: z.string() })

export type SelectedColumn = z.output<typeof columnRow>

const currencyRow = z.object({ currency: z.string(), exponent: z.number() })

export type Currency = z.output<typeof currencyRow>

export async function readCurrencies(engine: Queries): Promise<readonly Currency[]> {
  const sql =
    'SELECT currency, exponent FROM currencies FINAL WHERE exponent <= 3 ORDER BY currency'
  return await readRows(engine, currencyRow, sql)
}

/** Returns SQL: the rows of the files. If a value has a line end (`hasEnds`), rows are not lines. */
export function stagedRows(hasEnds: boolean): string {
  if (!hasEnds) return STAGED
  const before = `sum(_ends) OVER (PARTITION BY intDiv(_line, ${LINES_PER_FILE}) ORDER BY _line
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - _ends`
  return `(SELECT * REPLACE (toUInt64(_line + ${before}) AS _line) FROM ${STAGED})`
}

/** Returns the SELECT of a source with the tables and functions that it may use. `lines` are its {@link stagedRows}. */
export function sourceQuery(
  source: Source,
  currencies: readonly Currency[],
  lines: string,
): string {
  const own = ['_ends', '_fault', ...(source.database ? SYNC_COLUMNS : [])].join(', ')
  const tables = [
    `file AS (SELECT * EXCEPT (${own}) FROM ${lines} WHERE _fault = '')`,
    ...Object.keys(source.lookups).map((name) => {
      return `${identifier(name)} AS (SELECT * EXCEPT (_line, _ends, _fault) FROM ${lookupTable(name)} WHERE _fault = '')`
    }),
  ]
  return `WITH ${[...functionsOf(source, currencies), ...tables].join(',\n')}
SELECT * FROM (
${source.select}
)`
}

/** The functions of sources. docs/own-data.md explains each. */
function functionsOf(source: Source, currencies: readonly Currency[]): readonly string[] {
  const exponents = {
    ...Object.fromEntries(currencies.map(({ currency, exponent }) => [currency, exponent])),
    ...source.exponents,
  }
  const codes = literals(Object.keys(exponents))
  const units = `[${Object.values(exponents)
    .map((exponent) => 10 ** exponent)
    .join(', ')}]`
  const digits = "replaceRegexpAll(ifNull(toString(number), ''), '[ -]', '')"
  return [
    // More digits than an amount may have, so that none is lost before the check.
    `(amount, currency) -> toDecimal128OrNull(ifNull(toString(amount), ''), 8)
      / transform(ifNull(toString(currency), ''), ${codes}, arrayMap(unit -> toNullable(unit), ${units}), NULL) AS minor`,
    `(text, zone) -> concat(toString(text), ' ', toString(zone)) AS instant`,
    `(number) -> nullIf(extract(${digits}, '^(?:[0-9]{8}|[0-9]{6})'), '') AS card_bin`,
    `(number) -> nullIf(extract(${digits}, '[0-9]{4}$'), '') AS card_last4`,
  ]
}

/** Returns the columns of a source's SELECT. Throws a line for each that is unknown, missing or not exact. */
export async function describeSelect(
  engine: Queries,
  source: Source,
  query: string,
  fileColumns: readonly string[],
): Promise<readonly SelectedColumn[]> {
  const columns = await readRows(engine, columnRow, `DESCRIBE TABLE (${query})`).catch(
    (error: unknown) => {
      throw selectFailure(source, error, fileColumns)
    },
  )
  const faults = faultsOf(source, columns)
  if (faults.length === 0) return columns
  const shown = faults.slice(0, LIMITS.faultsShownMax)
  const others = faults.length - shown.length
  const lines = [...shown, ...(others > 0 ? [`… and ${others} more`] : [])]
  throw new GatewayError('config', lines.map((line) => `${source.path}: ${line}`).join('\n'))
}

function faultsOf(
  { table, database }: Source,
  columns: readonly SelectedColumn[],
): readonly string[] {
  const ledger: LedgerColumns = LEDGER_TABLES[table]
  const names = Object.keys(ledger)
  const faults: string[] = []
  for (const { name, type } of columns) {
    if (OWN_COLUMNS.has(name)) continue
    const column = ledger[name]
    if (column === undefined) {
      const nearest = nearestName(name, names)
      const hint = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`
      faults.push(`the SELECT returns ${name}, which is no column of the ledger${hint}`)
    } else if (column.type.includes('Decimal') && type.includes('Float')) {
      faults.push(`${name}: ${type} is not exact. Use text, a Decimal or minor(amount, currency)`)
    }
  }
  if (database && !columns.some(({ name, type }) => name === LINE && !type.startsWith('Array'))) {
    faults.push(
      `${LINE}: the SELECT of a database returns it, one for each row. Group in the query`,
    )
  }
  if (database && columns.some(({ name }) => name === 'row_version')) {
    faults.push('row_version: expected none, because a sync numbers the versions')
  }
  const missing = names.filter((name) => {
    return isRequired(ledger, name) && !columns.some((column) => column.name === name)
  })
  return [...faults, ...missing.map((name) => `the SELECT returns no column ${name}`)]
}

/**
 * Returns the error for a SELECT that the engine refuses or fails. The engine's text is part of it only before the
 * engine has read a row, because it may contain a value.
 *
 * @param fileColumns the columns of the files, if the engine has read no row
 */
export function selectFailure(
  source: Source,
  error: unknown,
  fileColumns: readonly string[] | undefined,
): unknown {
  if (!(error instanceof GatewayError) || !isProblemCode(error.code)) return error
  const text = error.cause instanceof Error ? error.cause.message : ''
  const name =
    /\(([A-Z_]+)\)\s*(?:\(version|$)/.exec(text)?.[1] ??
    `ClickHouse error ${clickHouseCode(error.cause)}`
  const said = /DB::Exception: (.*?)(?:[:.]? in scope |\. \([A-Z_]+\)|$)/is.exec(text)?.[1] ?? ''
  const unknown = name.startsWith('UNKNOWN_') || said.includes('cannot be resolved')
  const columns =
    unknown && fileColumns ? `. The files have ${fileColumns.slice(0, NAMED_MAX).join(', ')}` : ''
  const where = /FUNCTION (\w+)\(/.exec(text)?.[1]
  const message = fileColumns
    ? `the engine refuses the SELECT (${name}): ${said.slice(0, 500)}${columns}`
    : `the SELECT failed${where ? ` in the function ${where}` : ''} (${name}). Functions such as toDateOrNull give NULL in place of an error`
  return new GatewayError('config', `${source.path}:${source.selectLine}: ${message}`, {
    cause: error,
  })
}
