// @module-tag long

import { describe, expect, test } from 'vitest'
import { FORMAT_NAMES, FORMATS } from '../../../formats/src/format/formats.ts'
import {
  CONFIGURATION_PARAMETERS,
  configurationParametersOf,
} from '../../src/report/configuration.ts'
import { ask, problemIn } from '../kit/ask.ts'
import { FORMAT_READERS, NO_CONTENT } from './format-readers.ts'
import { CUT_OFF, ENDED_MS, FOUR_MONTHS, ONE_DAY, serveLargeReports } from './large-reports.ts'

const LIST = { reportIdentifier: 'transactions-list' }

const large = await serveLargeReports()
const { gateway, operator } = large

describe.each(FORMAT_NAMES)('%s', (reportFormat) => {
  const format = FORMATS[reportFormat]

  test('takes its configuration parameters, and refuses others and an encoding that no format has', async () => {
    const taken = configurationParametersOf(format)
    const outcomes = CONFIGURATION_PARAMETERS.map(async ({ name, default: usual, allowed }) => {
      const value = usual ?? allowed?.[0] ?? ''
      const configurationReportParameters = [{ type: 'INPUT_TEXT' as const, name, value }]
      const request = { ...LIST, ...ONE_DAY, reportFormat, configurationReportParameters }
      const answer = await ask(gateway, operator, request)
      const faults = answer.status === 200 ? [] : (problemIn(answer).errors ?? [])
      return [name, answer.status, ...faults.map(({ pointer }) => pointer)]
    })
    expect(await Promise.all(outcomes)).toEqual(
      CONFIGURATION_PARAMETERS.map((parameter) => {
        const { name } = parameter
        if (taken.includes(parameter)) return [name, 200]
        return [name, 422, '/configurationReportParameters/0/name']
      }),
    )
    const unknown = { ...LIST, reportFormat, reportEncode: 'UTF-7' }
    expect(problemIn(await ask(gateway, operator, unknown)).code).toBe('invalid-field')
  })

  test('has its extension and a media type', async () => {
    const { headers } = await ask(gateway, operator, { ...LIST, ...ONE_DAY, reportFormat })
    expect(headers['content-disposition']).toMatch(new RegExp(`[.]${format.extension}"?$`))
    expect(headers['content-type']).toMatch(/^[a-z]+\/[a-z.-]+/)
  })

  test('has the same bytes in the same run on the same data', async () => {
    const [first, second] = await large.runTwice(reportFormat, FOUR_MONTHS)
    expect(first?.rows).toBeGreaterThan(8192)
    expect(second?.rows).toBe(first?.rows)
    expect(second?.text === first?.text).toBe(true)
  })

  test('of one column is a valid file', async () => {
    const outputReportParameters = ['Order_description']
    const request = { ...LIST, ...ONE_DAY, reportFormat, outputReportParameters }
    const answer = await ask(gateway, operator, request)
    const typed = await ask(gateway, operator, { ...request, reportFormat: 'JSONL' })
    const { rows } = await FORMAT_READERS.JSONL.read(typed.bytes, NO_CONTENT)
    expect(rows.length).toBeGreaterThan(0)
    const { read, cellOf } = FORMAT_READERS[reportFormat]
    const expected = {
      titles: outputReportParameters,
      rows: rows.map(([value = null]) => [cellOf('text', value)]),
    }
    expect(await read(answer.bytes, expected)).toEqual(expected)
  })

  test('of a report that breaks never ends as a complete file', async () => {
    const broken = await large.askForBroken(reportFormat)
    // The engine still has the first row group of Parquet, so nothing was sent.
    const expected = reportFormat === 'PARQUET' ? { ...broken, status: 500 } : CUT_OFF
    expect(broken).toEqual(expected)
  })

  test('ends the query when its reader leaves', async () => {
    expect(await large.leave(reportFormat)).toBeLessThan(ENDED_MS)
  })
})
