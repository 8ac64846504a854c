import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kindOf } from '../../src/import/column-kinds.ts'
import { reasonsOf } from '../../src/import/compare-with-ledger.ts'
import { mappingSchema } from '../../src/import/mapping.ts'
import { isRequired } from '../../src/import/plan-columns.ts'
import { LEDGER_RULES } from '../../src/ledger/rules.ts'
import { LEDGER_TABLES, type LedgerColumns, type LedgerTable } from '../../src/ledger/model.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/import.md'), 'utf8')
const TABLES = Object.keys(LEDGER_TABLES) as LedgerTable[]
const mapping = mappingSchema('transactions').parse({})

/** The first cells of a table's rows. `title` is the table's first title. */
function firstCells(title: string): readonly string[] {
  const [, table = ''] = page.split(`\n| ${title} |`)
  const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(2)
  return rows.map((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? row)
}

test('docs/import.md lists exactly the members of a mapping file', () => {
  expect(firstCells('Member')).toEqual(Object.keys(mappingSchema('transactions').shape))
})

test('docs/import.md names every table', () => {
  expect(TABLES.filter((table) => !page.includes(`\`${table}\``))).toEqual([])
})

test('docs/import.md lists the required columns of every table', () => {
  const rows = TABLES.map((table) => {
    const columns: LedgerColumns = LEDGER_TABLES[table]
    const required = Object.keys(columns).filter((name) => isRequired(columns, name))
    return `| \`${table}\` | ${required.map((name) => `\`${name}\``).join(', ')} |`
  })
  expect(page).toContain(`| Table | Required columns |\n|---|---|\n${rows.join('\n')}\n\n`)
})

test('docs/import.md says what is expected of every column', () => {
  const known = firstCells('Expected').map(withoutNumbers)
  const expected = TABLES.flatMap((table) => {
    const columns: LedgerColumns = LEDGER_TABLES[table]
    const ofColumns = Object.entries(columns).map(([name, column]) => {
      return kindOf(table, name, column, { mapping, currencies: [] }).expected
    })
    const { notUnique, ...reasons } = reasonsOf(table)
    const others = [
      ...(table === 'transactions' ? Object.values(reasons) : []),
      ...(table === 'statements' ? [notUnique] : []),
    ]
    return [...ofColumns, ...others.map((reason) => reason.replace(/^.*?: /, ''))]
  })
  expect(
    [...new Set(expected.map(withoutNumbers))].filter((text) => !known.includes(text)),
  ).toEqual([])
})

test('docs/import.md lists every rule', () => {
  const rows = LEDGER_RULES.map(({ name, severity, sentence }) => {
    return `| \`${name}\` | ${severity} | ${sentence} |`
  })
  expect(page).toContain(`| Rule | Default | What it says |\n|---|---|---|\n${rows.join('\n')}\n\n`)
})

/** Replaces numbers of any size. */
function withoutNumbers(text: string): string {
  return text.replaceAll(/\d+ digits before|\d+ after|\b\d{4,}\b/g, '#')
}
