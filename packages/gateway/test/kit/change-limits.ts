import { afterAll } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'

/** Changes limits of the gateway until the last test of the file has run. */
export function changeLimits(change: Partial<Record<keyof typeof LIMITS, number>>): void {
  const usual = { ...LIMITS }
  Object.assign(LIMITS, change)
  afterAll(() => void Object.assign(LIMITS, usual))
}
