import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { settingsClause } from '../packages/engine/src/dialect/settings.ts'
import type { EngineQuery } from '../packages/engine/src/engine/engine.ts'
import type { ServerAddress } from '../packages/engine/src/http/server-source.ts'
import { writeForm } from '../packages/engine/src/http/write-form.ts'

/** Has curl read the result of a query from a ClickHouse server itself, and returns the time in milliseconds. */
export async function readFromEngine(
  { url, login: { user, password } }: ServerAddress,
  { sql, parameters, settings, format }: EngineQuery,
  engineSettings: EngineQuery['settings'],
): Promise<number> {
  const clause = settingsClause({ ...engineSettings, ...settings })
  const { contentType, body } = writeForm({ sql: `${sql} FORMAT ${format} ${clause}`, parameters })
  const startedAt = performance.now()
  const curl = spawn(
    'curl',
    [
      '-sS',
      '--fail',
      '-o',
      '/dev/null',
      '-u',
      `${user}:${password}`,
      '-H',
      `Content-Type: ${contentType}`,
      '--data-binary',
      '@-',
      url,
    ],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  )
  curl.stdin.end(body)
  const [code] = await once(curl, 'close')
  if (code !== 0) throw new Error(`expected a result; curl ended with ${code}`)
  return performance.now() - startedAt
}
