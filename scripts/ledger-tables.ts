import { isRequired } from '../packages/ledger/src/import/table-rules.ts'
import {
  LEDGER_TABLES,
  type LedgerColumns,
  type LedgerTable,
  STATUSES,
  storedColumns,
  TRANSACTION_TYPES,
} from '../packages/ledger/src/model/model.ts'
import { code, listOf, markdownTable, wrapParagraph } from './markdown.ts'

/** Generates the sections of docs/ledger.md from the ledger's data model, by their names. */
export function ledgerSections(): Readonly<Record<string, string>> {
  const { transactions: _, statements: __, ...others } = LEDGER_TABLES
  const types = `\`transaction_type\` is ${listOf(TRANSACTION_TYPES, 'or')}.`
  return {
    values: wrapParagraph(`\`status\` is ${listOf(STATUSES, 'or')}. ${types}`),
    transactions: columnTable('transactions'),
    statements: columnTable('statements'),
    tables: markdownTable(
      ['Table', 'Columns'],
      Object.entries(others).map(([table, columns]) => [code(table), columnList(columns)]),
    ),
  }
}

function columnTable(table: LedgerTable): string {
  const columns = LEDGER_TABLES[table]
  const rows = Object.entries(storedColumns(table)).map(([name, { type, about, moneyIn }]) => {
    const isNeeded = Object.hasOwn(columns, name) && isRequired(columns, name)
    const typed = `${code(valueType(type))}${isNeeded ? ', required' : ''}`
    return [code(name), typed, moneyIn === undefined ? about : `${about}; in ${code(moneyIn)}`]
  })
  return markdownTable(['Column', 'Type', 'What it holds'], rows)
}

/** Lists the columns of a table. The names of ids explain themselves. */
function columnList(columns: LedgerColumns): string {
  const listed = Object.entries(columns).map(([name, { type, about }]) => {
    const isPlain = name === 'name' || name.endsWith('_id')
    const notes = [
      code(valueType(type)),
      ...(isRequired(columns, name) ? [] : ['optional']),
      ...(isPlain ? [] : [about]),
    ]
    return `${code(name)} (${notes.join(', ')})`
  })
  return listed.join('; ')
}

/** Returns the type of a column's values. Another column of the table says whether a value may be missing. */
function valueType(type: string): string {
  return type.replace(/^LowCardinality\((.*)\)$/, '$1').replace(/^Nullable\((.*)\)$/, '$1')
}
