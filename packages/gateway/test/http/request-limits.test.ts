// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { LIMITS } from '../../../common/src/limits.ts'
import { FILTER_NAMES, REQUEST_LIMITS } from '@counterfoil/protocol'
import { ask, LIST, parameters, problemIn } from '../kit/ask.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { parametersMax, reportNameLengthMax } = REQUEST_LIMITS
const { parameterLengthMax } = LIMITS
const TITLE_LENGTH_MAX = 100
const ID_FILTERS = FILTER_NAMES.filter((name) => name !== 'currencies')
const NAMES = Array.from({ length: parametersMax }, (_, index) => `p${index}`)

const COMMON = { title: 'T', description: 'D', roles: ['operator'], formats: ['CSV'] }
const ONE_ROW = 'SELECT min(transaction_id) AS id FROM transactions'

const REPORTS: Readonly<Record<string, object>> = {
  // The report has as many parameters as a request may hold, and one column more than a request may choose.
  'many-parts': {
    from: ONE_ROW,
    parameters: NAMES.map((name) => ({ name, title: name, type: 'INPUT_TEXT', default: '' })),
    columns: [
      ...NAMES.map((name) => {
        const longest = `rightPad('${name}', ${parameterLengthMax}, '.')`
        const value = `{${name}:String}`
        const sql = `multiIf(${value} = ${longest}, ${longest}, ${value} = 'end', 'end', '')`
        return { name: `${name}_column`, kind: 'text', sql, about: name }
      }),
      { name: 'One_more', kind: 'integer', sql: '1', about: 'one more' },
    ],
    order: ['id'],
  },
  'own-number': {
    period: { axes: { created: { sql: 'created_at' } }, required: true, daysMax: 31 },
    parameters: [{ name: 'number', title: 'Number', type: 'INPUT_NUMBER', default: '0' }],
    columns: [{ name: 'Number', kind: 'text', sql: '{number:Decimal(38, 8)}', about: 'number' }],
    order: ['created_at', 'transaction_id'],
  },
}

const { sandbox, gateway } = await serveSandbox([], ({ reports }) => {
  for (const [identifier, report] of Object.entries(REPORTS)) {
    const file = join(reports, `${identifier}.yaml`)
    writeFileSync(file, stringify({ identifier, ...COMMON, ...report }))
  }
  return {}
})

describe('takes at the limit', () => {
  const texts = NAMES.map((name) => name.padEnd(parameterLengthMax, '.'))
  const titles = NAMES.map((name) => name.padEnd(TITLE_LENGTH_MAX, '-'))
  const inputs = Object.fromEntries(NAMES.map((name, index) => [name, texts[index] ?? '']))

  test.each(['all', 'minimal'])(
    `the maximum of parameters and columns, with the longest values and titles and %s quotes`,
    async (quote) => {
      const request = {
        reportIdentifier: 'many-parts',
        ...parameters(inputs, { quote }),
        outputReportParameters: NAMES.map((name, index) => {
          return { type: 'INPUT_TEXT', name: `${name}_column`, value: titles[index] }
        }),
      }
      const { text } = await ask(gateway, sandbox.logins.operator, request)
      const mark = quote === 'all' ? '"' : ''
      const lines = [titles, texts].map((fields) => {
        return fields.map((field) => mark + field + mark).join(',')
      })
      expect(text).toBe(`${lines.join('\r\n')}\r\n`)
    },
  )

  test('a report with more columns than a request may choose', async () => {
    const request = { reportIdentifier: 'many-parts', ...parameters({ p199: 'end' }) }
    const { text } = await ask(gateway, sandbox.logins.operator, request)
    const [head, fields] = text.split('\r\n').map((line) => line.slice(1, -1).split('","'))
    expect(head).toHaveLength(parametersMax + 1)
    expect(fields?.slice(-2)).toEqual(['end', '1'])
  })

  test('a report’s name, in the name of its file', async () => {
    for (const letter of ['x', 'Ж']) {
      const reportName = letter.repeat(reportNameLengthMax)
      const { headers } = await ask(gateway, sandbox.logins.operator, { ...LIST, reportName })
      const name = letter === 'x' ? reportName : encodeURIComponent(reportName)
      expect(headers['content-disposition']).toContain(`${name}.csv`)
    }
  })
})

test('loses no digit of a number, and refuses one more', async () => {
  const asked = (number: string) => {
    const inputs = { dateFrom: '2026-10-01', dateTo: '2026-11-01', number }
    const request = { reportIdentifier: 'own-number', ...parameters(inputs) }
    return ask(gateway, sandbox.logins.operator, request)
  }
  const number = '-123456789012345678.12345678'
  expect((await asked(number)).text.split('\r\n')[1]).toContain(`"${number}"`)
  for (const long of ['1234567890123456789', '0.123456789']) {
    expect(problemIn(await asked(long))).toMatchObject({ code: 'invalid-parameter' })
  }
})

test('lists the first of very many faults, and counts the others', async () => {
  const unknown = Array<number>(REQUEST_LIMITS.filterValuesMax).fill(98_765_432)
  const filters = Object.fromEntries(ID_FILTERS.map((name) => [name, unknown]))
  const members = Array.from({ length: 100_000 }, (_, index) => [index.toString(36), 1])
  for (const [change, faults] of [
    [{ filters }, 8 * unknown.length],
    [Object.fromEntries(members), members.length],
  ] as const) {
    const answer = await ask(gateway, sandbox.logins.operator, { ...LIST, ...change })
    const { errors = [], detail } = problemIn(answer)
    expect(errors).toHaveLength(LIMITS.faultsShownMax)
    expect(detail).toMatch(new RegExp(`; and ${faults - LIMITS.faultsShownMax} more faults$`))
    expect(answer.bytes.length).toBeLessThan(100_000)
  }
})
