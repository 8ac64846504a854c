// @module-tag long

import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { changeLimits } from '../kit/change-limits.ts'
import { csvOf, useImportKit, transactionRow } from '../kit/import-kit.ts'

// With this limit a small file is compared in several ranges.
changeLimits({ comparedRowsMax: 5 })

const kit = await useImportKit()

const HARD = ['plain', 'two\nlines', 'a "quote"', 'a, comma', '', '\r\n', '=1+1', 'é😀']
const ROWS = HARD.concat(HARD).map((order_description, at) =>
  transactionRow(at, { order_description }),
)
const HEADER = `${csvOf(ROWS).split('\n', 1).join()}\n`
const TEXTS = ROWS.map((row) => csvOf([row]).slice(HEADER.length))

/** A change to a row of a file: some bytes become others. */
interface Damage {
  readonly row: number
  readonly at: number
  readonly length: number
  readonly by: string
}
const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    row: fc.nat(ROWS.length - 1),
    at: fc.nat(300),
    length: fc.nat(3),
    by: fc.string({
      unit: fc.constantFrom('"', ',', '\n', '\r', 'x', '0', ' ', '\\N'),
      maxLength: 2,
    }),
  }),
  { minLength: 1, maxLength: 4 },
)

/** Returns the texts of the rows after all changes. */
function damage(all: readonly Damage[]): readonly string[] {
  return TEXTS.map((text, row) => {
    return all
      .filter((one) => one.row === row)
      .reduce((left, { at, length, by }) => {
        const from = at % left.length
        return left.slice(0, from) + by + left.slice(from + length)
      }, text)
  })
}

test('compares a file with the ledger in several ranges', async () => {
  const execute = vi.spyOn(kit.engine, 'execute')
  const { taken } = await kit.importText('ranges.csv', HEADER + TEXTS.join(''))
  const statements = execute.mock.calls.map(([sql]) => sql)
  execute.mockRestore()
  expect(taken).toBe(ROWS.length)
  const ranges = statements.filter((sql) => sql.includes('INSERT INTO import_verdicts'))
  expect(ranges.length).toBeGreaterThan(2)
})

test('counts every row of a damaged file, or takes none', async () => {
  const outcomes: (readonly [number, number, number, number])[] = []
  const failures: (readonly [string, number])[] = []
  for (const all of fc.sample(damages, 20)) {
    await kit.empty('transactions')
    const text = HEADER + damage(all).join('')
    const result = await kit.importText('damaged.csv', text).catch((error: Error) => error)
    const held = Number(await kit.value('SELECT count() AS value FROM transactions FINAL'))
    if (result instanceof Error) {
      failures.push([result.message.replace(/^.*?: /, ''), held])
      continue
    }
    const { rows, taken, unchanged, older, refused } = result
    outcomes.push([taken + unchanged + older + refused, held, rows, taken])
  }
  expect(outcomes.map(([sum, held]) => [sum, held])).toEqual(
    outcomes.map(([, , rows, taken]) => [rows, taken]),
  )
  const expected = [expect.stringMatching(/^this is not valid CSV/), 0]
  expect(failures).toEqual(failures.map(() => expected))
})
