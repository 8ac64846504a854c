// @module-tag long

// Large reports in every format. The short test makes no large PDF.

import { describe, expect, test } from 'vitest'
import { FORMAT_NAMES } from '../../src/formats/formats.ts'
import { CUT_OFF, ENDED_MS, FOUR_MONTHS, serveLargeReports } from '../kit/large-reports.ts'

const large = await serveLargeReports()

describe.each(FORMAT_NAMES)('%s', (format) => {
  test('has the same bytes in the same run on the same data', async () => {
    const [first, second] = await large.runTwice(format, FOUR_MONTHS)
    expect(first?.rows).toBeGreaterThan(8192)
    expect(second?.rows).toBe(first?.rows)
    expect(second?.text === first?.text).toBe(true)
  })

  test('of a report that breaks never ends as a complete file', async () => {
    expect(await large.askForBroken(format)).toEqual(CUT_OFF)
  })

  test('ends the query when its reader leaves', async () => {
    expect(await large.leave(format)).toBeLessThan(ENDED_MS)
  })
})
