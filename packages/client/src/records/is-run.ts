import { conforms, type Run, runSchema } from '@counterfoil/protocol'

/**
 * Whether a value parsed from JSON is the manifest of a run.
 *
 * @example
 * isRun({ runId: 'request-1' }) // false
 */
export function isRun(value: unknown): value is Run {
  return conforms(runSchema, value)
}
