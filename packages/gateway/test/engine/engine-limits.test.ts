// @module-tag long

import { expect, test } from 'vitest'
import { LIMITS } from '../../src/limits.ts'
import { ask, LIST, parameters, problemIn } from '../kit/ask.ts'
import { USUAL_ROWS } from '../kit/sandbox.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** The size of a row of the report large-row in CSV, unless it is the large one. */
const ROW_BYTES = 504
const HEADER_BYTES = '"Filling"\r\n'.length

// An engine has the limits of the process's first session. The long tests start a process for each limit.
const engine = { memoryMax: '600MiB', queryMemoryMax: '4GiB' }
const { sandbox, gateway } = await serveSandbox([], { engine })
const { operator } = sandbox.logins

test('a report that needs more memory than all queries may use is refused for now, and others are completed', async () => {
  const outputReportParameters = ['Transaction_id']
  const { text } = await ask(gateway, operator, { ...LIST, outputReportParameters })
  const id = text.split('\r\n')[1]?.slice(1, -1) ?? ''
  const largeRow = (size: string) => {
    return ask(gateway, operator, { reportIdentifier: 'large-row', ...parameters({ id, size }) })
  }
  const answer = await largeRow('1000000000')
  expect(problemIn(answer)).toMatchObject({ code: 'engine-busy', status: 503 })
  expect(answer.headers['retry-after']).toBe(String(LIMITS.retryAfterSeconds))
  const other = await largeRow('1000000')
  expect(other.bytes.length).toBe(HEADER_BYTES + (USUAL_ROWS - 1) * ROW_BYTES + 1_000_004)
})
