import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CONFORMANCE_LIMITS } from '../packages/counterfoil/src/conformance/run-checks.ts'

const ROOT = join(import.meta.dirname, '..')

test('docs/conformance.md has the limits of a run', () => {
  const page = readFileSync(join(ROOT, 'docs/conformance.md'), 'utf8')
  const { requestsMax, totalMs, unansweredMax } = CONFORMANCE_LIMITS
  expect(page).toContain(`after ${requestsMax} requests, after ${totalMs / 60_000} minutes`)
  expect(unansweredMax).toBe(3)
  expect(page).toContain('answer three times in a row')
})
