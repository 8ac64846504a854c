import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settingsClause } from '../packages/gateway/src/clickhouse/settings.ts'
import type { Engine, EngineQuery } from '../packages/gateway/src/engine/engine.ts'

/** Has the engine write the result of a query to a file itself, and returns the time in milliseconds. */
export async function writeOutFile(
  engine: Engine,
  { sql, parameters, settings, format }: EngineQuery,
  engineSettings: EngineQuery['settings'],
): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const file = join(directory, 'report')
  // A query that writes a file must not be read-only.
  const { readonly: _, ...kept } = settings
  const clause = settingsClause({ ...engineSettings, ...kept })
  const startedAt = performance.now()
  await engine.execute(`${sql} INTO OUTFILE '${file}' FORMAT ${format} ${clause}`, parameters)
  const ms = performance.now() - startedAt
  if (statSync(file).size === 0) throw new Error('expected a file of the report')
  rmSync(directory, { recursive: true })
  return ms
}
