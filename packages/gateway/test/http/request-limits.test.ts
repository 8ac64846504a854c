// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import * as z from 'zod'
import { readRows } from '../../../engine/src/engine/engine.ts'
import { FILTER_COLUMNS, HIERARCHY } from '../../../ledger/src/model/hierarchy.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { REQUEST_LIMITS } from '@counterfoil/protocol'
import { ask, LIST, parameters, problemIn } from '../kit/ask.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { parametersMax, reportNameLengthMax } = REQUEST_LIMITS
const { parameterLengthMax } = LIMITS
const TITLE_LENGTH_MAX = 100
const NAMES = Array.from({ length: parametersMax }, (_, index) => `p${index}`)

const COMMON = {
  title: 'T',
  description: 'D',
  roles: ['operator'],
  formats: ['CSV'],
}
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
  'own-limits': {
    period: { axes: { created: { sql: 'created_at' } }, required: true, daysMax: 31 },
    parameters: [
      { name: 'code', title: 'Code', type: 'INPUT_TEXT', lengthMax: 5, default: '' },
      { name: 'number', title: 'Number', type: 'INPUT_NUMBER', default: '0' },
      {
        name: 'orders',
        title: 'Orders',
        type: 'INPUT_TEXT',
        list: true,
        lengthMax: 100_000,
        condition: 'client_order_id IN {orders:Array(String)}',
      },
    ],
    columns: [
      { name: 'Created', kind: 'time', sql: 'created_at', about: 'when' },
      {
        name: 'Code',
        kind: 'text',
        sql: "if({code:String} = 'abcde', 'abcde', '')",
        about: 'code',
      },
      { name: 'Number', kind: 'text', sql: '{number:Decimal(38, 8)}', about: 'number' },
    ],
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

async function refusal(request: object) {
  const { code, status, errors } = problemIn(await ask(gateway, sandbox.logins.operator, request))
  return { code, status, errors }
}

describe('takes at the limit', () => {
  const texts = NAMES.map((name) => name.padEnd(parameterLengthMax, '.'))
  const titles = NAMES.map((name) => name.padEnd(TITLE_LENGTH_MAX, '-'))
  const inputs = Object.fromEntries(NAMES.map((name, index) => [name, texts[index] ?? '']))

  test.each(['all', 'minimal'])(
    `the maximum of parameters and columns, with the longest values and titles and %s quotes`,
    async (quote) => {
      const request = {
        reportIdentifier: 'many-parts',
        ...parameters(inputs),
        configurationReportParameters: parameters({ quote }).inputReportParameters,
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

describe('refuses above the limit, and names the limit', () => {
  test('a parameter’s value', async () => {
    const inputs = parameters({ p0: 'x'.repeat(parameterLengthMax + 1) })
    const { code, errors } = await refusal({ reportIdentifier: 'many-parts', ...inputs })
    expect(code).toBe('invalid-parameter')
    const expected = `for p0 at most ${parameterLengthMax} characters`
    expect(errors).toEqual([{ pointer: '/inputReportParameters/0/value', expected }])
  })
})

describe('a limit that a report sets', () => {
  const asked = (inputs: Readonly<Record<string, string>>) => {
    const month = { dateFrom: '2026-10-01', dateTo: '2026-11-01', ...inputs }
    return { reportIdentifier: 'own-limits', ...parameters(month) }
  }

  test('of characters allows that many and no more', async () => {
    const { text } = await ask(gateway, sandbox.logins.operator, asked({ code: 'abcde' }))
    expect(text.split('\r\n')[1]).toContain('"abcde"')
    const { errors } = await refusal(asked({ code: 'abcdef' }))
    expect(errors).toMatchObject([{ expected: 'for code at most 5 characters' }])
  })

  test('of digits loses no digit of a number, and refuses one more', async () => {
    const number = '-123456789012345678.12345678'
    const { text } = await ask(gateway, sandbox.logins.operator, asked({ number }))
    expect(text.split('\r\n')[1]).toContain(`"${number}"`)
    for (const long of ['1234567890123456789', '0.123456789']) {
      expect(await refusal(asked({ number: long }))).toMatchObject({ code: 'invalid-parameter' })
    }
  })
})

const ID_FILTERS = [
  'gates',
  'companies',
  'projects',
  'endpoints',
  'merchants',
  'processors',
  'managers',
  'resellers',
] as const

const HIERARCHY_ROW = z.record(z.string(), z.string().nullable())

/** Reads one row of the hierarchy: an id of each kind. */
async function readIds(): Promise<Readonly<Record<string, string>>> {
  const [row = {}] = await readRows(gateway.engine, HIERARCHY_ROW, {
    sql: `SELECT * EXCEPT currency FROM (${HIERARCHY}) WHERE reseller_id != '' AND endpoint_id != '' LIMIT 1`,
    parameters: {},
  })
  const ids = ID_FILTERS.map((name) => [name, String(row[FILTER_COLUMNS[name]])])
  return Object.fromEntries(ids)
}

/** Asks for a report with `count` times the same id in every filter. */
async function askFilled(idOf: (name: string) => string | number, count: number) {
  const filters = Object.fromEntries(
    ID_FILTERS.map((name) => [name, Array.from({ length: count }, () => idOf(name))]),
  )
  return await ask(gateway, sandbox.logins.operator, { ...LIST, filters })
}

test('takes eight filters of as many ids as a filter may have', async () => {
  const ids = await readIds()
  const { status, trailers } = await askFilled(
    (name) => ids[name] ?? '',
    REQUEST_LIMITS.filterValuesMax,
  )
  expect(status).toBe(200)
  expect(trailers['repr-digest']).toBeDefined()
})

test('lists the first of very many faults, and counts the others', async () => {
  const unknown = await askFilled(() => 98_765_432, REQUEST_LIMITS.filterValuesMax)
  const members = Array.from({ length: 100_000 }, (_, index) => [index.toString(36), 1])
  const strange = await ask(gateway, sandbox.logins.operator, {
    ...LIST,
    ...Object.fromEntries(members),
  })
  for (const [answer, faults] of [
    [unknown, 8 * REQUEST_LIMITS.filterValuesMax],
    [strange, members.length],
  ] as const) {
    const { errors = [], detail } = problemIn(answer)
    expect(errors).toHaveLength(LIMITS.faultsShownMax)
    expect(detail).toMatch(new RegExp(`; and ${faults - LIMITS.faultsShownMax} more faults$`))
    expect(answer.bytes.length).toBeLessThan(100_000)
  }
})
