// @module-tag long

// Every report in every format. The short test reads reports that have every kind of column.

import { describe, expect, test } from 'vitest'
import { FORMAT_NAMES } from '../../src/formats/formats.ts'
import { readReport, serveReportValues } from '../kit/report-values.ts'
import { EVERY_REPORT } from '../kit/sandbox.ts'

const values = await serveReportValues()

describe.each(FORMAT_NAMES)('%s', (format) => {
  test.each(EVERY_REPORT.map((file) => file.replace('.yaml', '')))(
    'holds the values of %s, as a foreign reader reads them',
    async (identifier) => {
      const { content, expected } = await readReport(values, format, identifier)
      expect(content).toEqual(expected)
    },
  )
})
