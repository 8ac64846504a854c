import { statSync } from 'node:fs'
import { resolveLibchdb } from 'chdb/libchdb'
import manifest from 'chdb/package.json' with { type: 'json' }

/** Identifies the engine's library. The text differs for another version and for another build. */
export function engineFingerprint(): string {
  const { path } = resolveLibchdb()
  const { size, mtimeMs } = statSync(path)
  return [manifest.version, path, size, mtimeMs].join(' ')
}
