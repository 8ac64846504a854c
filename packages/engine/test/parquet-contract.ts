import { expect, test } from 'vitest'
import type { Engine } from '../src/engine/engine.ts'
import { PAGE_SETTINGS } from '../../formats/src/parquet/parquet.ts'
import { readPages } from '../../formats/src/parquet/read-pages.ts'
import { queryKit } from './query-kit.ts'

const NEVER = new AbortController().signal

/** Tests that an engine writes Parquet whose pages the gateway can read. */
export function testParquet(engine: () => Engine): void {
  const { query } = queryKit(engine)
  test('in Parquet is one file or several files, and the last one is complete', async () => {
    const typed =
      "CAST(number, 'Nullable(Int64)') AS n, CAST(repeat('é', number % 5), 'Nullable(String)') AS t"
    const sql = `SELECT ${typed} FROM numbers(50000)`
    const asked = query(sql, { format: 'Parquet', settings: PAGE_SETTINGS })
    const values: number[] = []
    for await (const page of readPages(await engine().stream(asked, NEVER)))
      values.push(page.values)
    expect(values.length).toBeGreaterThan(10)
    const ofColumn = (column: number) => values.filter((_, index) => index % 2 === column)
    for (const column of [0, 1]) {
      expect(ofColumn(column).reduce((sum, each) => sum + each, 0)).toBe(50_000)
    }
    const none = query(`${sql} WHERE 0`, { format: 'Parquet', settings: PAGE_SETTINGS })
    const pages: unknown[] = []
    for await (const page of readPages(await engine().stream(none, NEVER))) pages.push(page)
    expect(pages).toEqual([])
  })
}
