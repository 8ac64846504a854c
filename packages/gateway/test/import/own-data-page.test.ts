import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { openScratchEngine } from '../kit/scratch-ledger.ts'
import { headSchema } from '../../../ledger/src/import/source/source.ts'
import { LEDGER_RULES } from '../../../ledger/src/rules/rules.ts'
import { LEDGER_TABLES } from '../../../ledger/src/model/model.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/own-data.md'), 'utf8')
const TABLES = Object.keys(LEDGER_TABLES)

/** The first cells of a table's rows. `title` is the table's first title. */
function firstCells(title: string): readonly string[] {
  const [, table = ''] = page.split(`\n| ${title} |`)
  const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(2)
  return rows.map((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? row)
}

test('docs/own-data.md lists exactly the members of a head', () => {
  expect(firstCells('Member')).toEqual(Object.keys(headSchema.shape))
})

test('docs/own-data.md names every table', () => {
  expect(TABLES.filter((table) => !page.includes(`\`${table}\``))).toEqual([])
})

test.each(['refuse', 'warn'])('docs/own-data.md lists every rule that can %s', (severity) => {
  const rows = LEDGER_RULES.filter((rule) => rule.severity === severity).map(
    ({ name, sentence }) => `| \`${name}\` | ${sentence} |`,
  )
  const head = `| Rules that ${severity} | What they say |\n|---|---|`
  expect(page).toContain(`${head}\n${rows.join('\n')}\n\n`)
})

test('each recipe of docs/own-data.md gives its result', async () => {
  const [, recipes = ''] = page.split('| Your data | Write | Result |\n|---|---|---|\n')
  const rows = (recipes.split('\n\n')[0] ?? '').split('\n').map((line) => {
    return [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
  })
  const ledger = await openScratchEngine()
  onTestFinished(() => ledger.close())
  const row = z.object({ value: z.string() })
  const results: unknown[] = []
  for (const [text = '', expression = ''] of rows) {
    const sql = `SELECT toString(${expression}) AS value FROM (SELECT {text:String} AS x)`
    results.push(...(await readRows(ledger.engine, row, { sql, parameters: { text } })))
  }
  expect(rows.length).toBeGreaterThan(5)
  expect(results).toEqual(rows.map(([, , value]) => ({ value })))
})
