import { FILTER_NAMES } from '@counterfoil/protocol'
import { expect, test } from 'vitest'
import type { Queries } from '../../../engine/src/engine/engine.ts'
import type { CatalogueReport } from '../../../templates/src/template/load-templates.ts'
import { readScope } from './scope.ts'

const OPERATOR = { role: 'operator', sees: [] } as const

/** A look-up that finds every id of every filter. */
function knowing(ids: readonly string[]): Queries {
  const row = JSON.stringify(Object.fromEntries(FILTER_NAMES.map((name) => [name, ids])))
  return {
    stream: async () => {
      return (async function* () {
        yield { bytes: Buffer.from(`${row}\n`), rows: 1 }
      })()
    },
    execute: async () => {},
    insert: async () => {},
    loadTimeZone: async (timezone) => timezone,
  }
}

/** The processor time that a request with so many ids in each filter takes in this thread. */
async function cpuMsOf(count: number): Promise<number> {
  const ids = Array.from({ length: count }, (_, at) => String(10_000_000 + at))
  const filters = Object.fromEntries(FILTER_NAMES.map((name) => [name, ids]))
  const report = {
    template: { rows: 'transactions', currencies: 'currency' },
    tables: new Set(),
  } as unknown as CatalogueReport
  const engine = knowing(ids)
  const { signal } = new AbortController()
  const before = process.cpuUsage()
  await readScope(OPERATOR, report, filters as never, engine, signal)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

test('the work for ids that the login owns grows with their number, and not with its square', async () => {
  await cpuMsOf(1_000)
  const [small, large] = [await cpuMsOf(2_500), await cpuMsOf(20_000)]
  // Eight times the ids would take 64 times as long.
  expect(large).toBeLessThan(24 * small + 100)
})
