// @module-tag long

import { describe, expect, test } from 'vitest'
import { FORMAT_NAMES } from '../../../formats/src/format/formats.ts'
import { EVERY_REPORT } from '../kit/sandbox.ts'
import { readReport, serveReportValues } from './report-values.ts'

const values = await serveReportValues(EVERY_REPORT)

describe.each(EVERY_REPORT)('%s', (file) => {
  test.each(FORMAT_NAMES)('as %s holds the values of its JSON lines', async (format) => {
    const { content, expected } = await readReport(values, format, file.replace('.yaml', ''))
    expect(content).toEqual(expected)
  })
})
