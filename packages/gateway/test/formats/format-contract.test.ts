// @module-tag long

import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { FORMAT_NAMES, FORMATS } from '../../../formats/src/format/formats.ts'
import { loadCatalogue } from '../../../templates/src/template/load-templates.ts'
import {
  CONFIGURATION_PARAMETERS,
  configurationParametersOf,
} from '../../src/report/configuration.ts'
import { ask, LIST, open, parameters, problemIn } from '../kit/ask.ts'
import { runWithoutHttp } from '../kit/run-without-http.ts'
import { untilRunning } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { FORMAT_READERS, NO_CONTENT } from './format-readers.ts'

const OPERATOR = { login: 'operator', role: 'operator', sees: [] } as const
/** Much longer than ending a query takes, and much shorter than the report. */
const ENDED_MS = 5000

// Many more rows than the engine computes ahead of a reader.
const LATE_ROW = 36_000

const ONE_DAY = { ...LIST, ...parameters({ dateFrom: '2026-10-30', dateTo: '2026-10-31' }) }
/** A period of many thousand rows. */
const FOUR_MONTHS = { ...LIST, ...parameters({ dateFrom: '2026-07-01', dateTo: '2026-11-01' }) }

/** What the reader of a report gets that breaks: status 200, and never a complete file. */
const CUT_OFF = { status: 200, error: 'ECONNRESET', isComplete: false, trailers: {} }

const { sandbox, gateway } = await serveSandbox([80_000])
const { operator } = sandbox.logins
const catalogue = await loadCatalogue(sandbox.reports, gateway.engine)

/** The order at which a report breaks: the engine has sent several chunks before. */
const { text: all } = await ask(gateway, operator, LIST)
const lateOrder = String(700_000_000 + Number([...all.matchAll(/"ORD-(\d+)"/g)][LATE_ROW]?.[1]))

describe.each(FORMAT_NAMES)('%s', (reportFormat) => {
  const format = FORMATS[reportFormat]

  test('takes its configuration parameters, and refuses others and an encoding that no format has', async () => {
    const taken = configurationParametersOf(format)
    const outcomes = CONFIGURATION_PARAMETERS.map(async ({ name, default: usual, allowed }) => {
      const value = usual ?? allowed?.[0] ?? ''
      const configurationReportParameters = [{ type: 'INPUT_TEXT' as const, name, value }]
      const request = { ...ONE_DAY, reportFormat, configurationReportParameters }
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
    const { headers } = await ask(gateway, operator, { ...ONE_DAY, reportFormat })
    expect(headers['content-disposition']).toMatch(new RegExp(`[.]${format.extension}"?$`))
    expect(headers['content-type']).toMatch(/^[a-z]+\/[a-z.-]+/)
  })

  test('has the same bytes in the same run on the same data', async () => {
    const source = { engine: gateway.engine, catalogue, now: Date.UTC(2026, 10, 20) }
    const request = { ...FOUR_MONTHS, reportFormat }
    const first = await runWithoutHttp(source, OPERATOR, request)
    const second = await runWithoutHttp(source, OPERATOR, request)
    expect(first.rows).toBeGreaterThan(8192)
    expect(second.rows).toBe(first.rows)
    expect(second.text === first.text).toBe(true)
  })

  test('of one column is a valid file', async () => {
    const outputReportParameters = ['Order_description']
    const request = { ...ONE_DAY, reportFormat, outputReportParameters }
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
    const late = { reportIdentifier: 'late-failure', ...parameters({ breaksAt: lateOrder }) }
    const answer = await open(gateway, operator, { ...late, reportFormat })
    const error = await buffer(answer).then(
      () => '',
      ({ code }) => String(code),
    )
    const { statusCode: status, complete: isComplete, trailers } = answer
    const outcome = status === 200 ? 'aborted' : 'problem'
    await expect.poll(() => gateway.lines().at(-1)).toMatchObject({ outcome })
    const broken = { status, error, isComplete, trailers }
    // The engine still has the first row group of Parquet, so nothing was sent.
    const expected = reportFormat === 'PARQUET' ? { ...broken, status: 500 } : CUT_OFF
    expect(broken).toEqual(expected)
  })

  test('ends the query when its reader leaves', async () => {
    const wide = { reportIdentifier: 'wide-rows', reportFormat, ...parameters({ width: '4000' }) }
    for await (const _ of await open(gateway, operator, wide)) break
    expect(await untilRunning(gateway.engine, 0)).toBeLessThan(ENDED_MS)
  })
})
