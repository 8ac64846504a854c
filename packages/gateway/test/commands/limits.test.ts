import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { configSchema } from '../../src/config/schema.ts'
import { LIMITS } from '../../src/limits.ts'
import { LIMITS_TRIED, MANY_PARTS, type Tried } from './limits-tried.cases.ts'

const CONFIGURATION_TRIED: Readonly<Record<string, Tried>> = {
  'engine.sessions': {
    'test/engine/most-sessions.long.test.ts': [
      'the largest number of sessions runs as many reports at once',
    ],
    'test/http/load.long.test.ts': ['sends 16 complete reports at once'],
  },
  'engine.queueLength': {
    'src/report/admission.test.ts': ['refuses a login that has as many reports as any other'],
    'test/http/load.long.test.ts': [
      'completes each report or refuses it with Retry-After, if there is no room for 16',
    ],
  },
  'engine.queueWaitSeconds': {
    'src/report/admission.test.ts': [
      'refuses a report that has waited too long, and gives it no place later',
    ],
    'test/http/load.long.test.ts': [
      'refuses a report with Retry-After after its time in the queue',
    ],
  },
  'engine.querySeconds': {
    'test/engine/engine-limits.long.test.ts': ['that takes longer than the limit is cut off'],
    'test/report/broken-report.long.test.ts': [
      'answers a report that takes too long with engine-limit, or cuts it off if it has begun',
    ],
  },
  'engine.queryMemoryMax': {
    'test/engine/engine-limits.long.test.ts': [
      'that needs more memory than one query may use is cut off, or refused before its first byte',
    ],
  },
  'engine.memoryMax': {
    'test/engine/engine-limits.long.test.ts': [
      'that needs more memory than all queries may use is refused for now, and others are completed',
    ],
  },
  drainSeconds: {
    'test/commands/shutdown.test.ts': [
      'after SIGINT, running reports are completed, and the gateway refuses new connections, and requests on the open ones',
      'the gateway cuts off a stalled reader after the time to drain',
      'the gateway ends a report that has not begun after the time to drain',
    ],
  },
}

/** Limits that are neither in the package nor in the configuration: of report files, of requests, and of the engine. */
const OTHERS_TRIED: Readonly<Record<string, Tried>> = {
  'period.daysMax': {
    'test/http/request-limits.test.ts': [
      'of 31 days, in %s from %s, allows a month to %s and no day more',
    ],
  },
  'parameters[].lengthMax': {
    'test/http/request-limits.test.ts': ['of characters allows that many and no more'],
  },
  'parameters[].allowed': { 'test/authentication/problems.test.ts': ['refuses %j for %s'] },
  'the digits of a number': {
    'test/http/request-limits.test.ts': [
      'of digits loses no digit of a number, and refuses one more',
    ],
  },
  'the characters of a title': {
    'test/http/request-limits.test.ts': [MANY_PARTS, 'a column’s title'],
  },
  'the digits of an id': {
    'test/http/request-limits.test.ts': ['takes eight filters of %i ids each'],
    'test/report/foreign-ids.long.test.ts': ['refuses an impossible id without a look-up'],
  },
  'the ids that a login sees': {
    'test/report/large-scopes.long.test.ts': [
      'is complete for a login that sees ${SEEN} merchants, also with all of them in eight filters',
      'reports all rows of every table for a login that sees ${SEEN} merchants',
    ],
  },
  'settings that could truncate a result': {
    'test/report/complete-results.test.ts': [
      'is off for a report and for its look-up, in any version of the engine',
      'of %s is complete',
      'writes fields of millions of characters completely, with %s quotes',
    ],
  },
}

describe.each([
  ...Object.entries(LIMITS_TRIED),
  ...Object.entries(CONFIGURATION_TRIED),
  ...Object.entries(OTHERS_TRIED),
])('the limit %s', (_, tried) => {
  test.each(Object.entries(tried))('is tested in %s', (file, titles) => {
    const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
    const missing = titles.filter((title) => {
      return !text.includes(`'${title}',`) && !text.includes(`\`${title}\`,`)
    })
    expect(missing).toEqual([])
  })
})

test('every limit of the package is tested', () => {
  expect(Object.keys(LIMITS_TRIED).toSorted()).toEqual(Object.keys(LIMITS).toSorted())
})

test('every limit of the configuration is tested', () => {
  const { properties = {} } = z.toJSONSchema(configSchema, { io: 'input' })
  const { engine } = properties
  if (typeof engine !== 'object') throw new Error('expected the configuration of the engine')
  const limits = Object.keys(engine.properties ?? {}).filter((name) => name !== 'cluster')
  const own = limits.map((name) => `engine.${name}`)
  expect(Object.keys(CONFIGURATION_TRIED).toSorted()).toEqual(['drainSeconds', ...own].toSorted())
})
