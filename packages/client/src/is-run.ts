import type { Run } from '@counterfoil/protocol'
import { hasTexts } from './read-failure.ts'

/**
 * Whether a value parsed from JSON is the manifest of a run.
 *
 * @example
 * isRun({ runId: 'request-1' }) // false
 */
export function isRun(value: unknown): value is Run {
  const names = ['runId', 'reportIdentifier', 'login', 'outcome', 'startedAt']
  if (!hasTexts(value, names)) return false
  return value['file'] === undefined || isFile(value['file'])
}

function isFile(value: unknown): boolean {
  if (!hasTexts(value, ['sha256', 'contentType'])) return false
  const { sha256, rows, bytes, replaced } = value
  const areNumbers = [rows, bytes, replaced].every((number) => Number.isSafeInteger(number))
  return areNumbers && /^[A-Za-z0-9+/]{43}=$/.test(String(sha256))
}
