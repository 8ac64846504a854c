import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ReportRequest } from '@counterfoil/protocol'
import { readYaml } from '../../../common/src/read-yaml.ts'
import { type Template, templateSchema } from '../../../templates/src/template/template.ts'
import { parseEnvelope } from './envelope.ts'
import { type RuntimeValues, planReport } from './plan.ts'
import { prepareReport } from './prepare-report.ts'

const FILE = join(import.meta.dirname, '../../../../reports/transactions-list.yaml')
const HOSTILE = "x') OR 1=1 --"
const TEMPLATE = readYaml(FILE, templateSchema).value
const REQUEST = {
  reportIdentifier: 'transactions-list',
  reportName: HOSTILE,
  reportCsvDelimiter: ';',
  outputReportParameters: [{ type: 'INPUT_TEXT', name: 'Amount', value: HOSTILE }],
} as const satisfies ReportRequest
const INPUT = { timezone: 'Europe/Berlin', dateAxis: 'created', statuses: [HOSTILE] }
const RUNTIME: RuntimeValues = {
  input: INPUT,
  scope: new Map([
    ['transactions', "merchant_id IN ('1', '2') AND currency IN ('EUR')"],
    ['merchants', "merchant_id IN ('1', '2')"],
  ]),
  now: Date.UTC(2026, 10, 20, 10),
  runId: 'run',
}

/** Plans a request, with changes to the request and to the runtime. */
function plan(
  change: Partial<ReportRequest> = {},
  runtime: Partial<RuntimeValues> = {},
  template: Template = TEMPLATE,
) {
  const envelope = parseEnvelope(Buffer.from(JSON.stringify({ ...REQUEST, ...change })))
  const reports = new Map([[template.identifier, { template, tables: new Set<never>() }]])
  const viewer = { login: 'any', role: 'merchant', sees: ['1', '2'] } as const
  const catalogue = { reports, timezones: new Set(['UTC', 'Europe/Berlin']) }
  const prepared = prepareReport(catalogue, viewer, envelope)
  return planReport(prepared, { ...RUNTIME, ...runtime })
}

/** Returns the text of a planned file without rows. */
async function emptyFile({ file }: ReturnType<typeof plan>): Promise<string> {
  let text = ''
  for await (const { bytes } of file.write(noChunks())) text += Buffer.from(bytes).toString()
  return text
}

async function* noChunks() {}

/** Makes a list of parameters for a request. */
function parametersIn(values: Readonly<Record<string, string>>) {
  return Object.entries(values).map(
    ([name, value]) => ({ type: 'INPUT_TEXT', name, value }) as const,
  )
}

test('binds the caller’s values or writes them into the file, never into the query', async () => {
  const planned = plan()
  const { query } = planned
  expect(query.parameters).toEqual({ ...INPUT, now: '2026-11-20 10:00:00.000' })
  expect(query.sql).not.toContain(HOSTILE)
  expect(Object.values(query.settings)).not.toContain(HOSTILE)
  expect(await emptyFile(planned)).toBe(`"${HOSTILE}"\r\n`)
})

test('adds a condition for the days to read, and binds them', () => {
  const createdDays = ['2026-01-30', '2026-02-01']
  const { sql, parameters } = plan({}, { createdDays }).query
  expect(sql).toContain('WHERE toDate32(created_at) IN {_createdDays:Array(Date32)}\n')
  expect(parameters['_createdDays']).toEqual(createdDays)
  expect(plan().query.sql).not.toContain('_createdDays')
})

test('filters every table by the scope', () => {
  const { settings, role } = plan().query
  expect(role).toBe('report')
  expect(settings).toMatchObject({
    readonly: 1,
    final: 1,
    additional_table_filters:
      "{'default.transactions': 'merchant_id IN (\\'1\\', \\'2\\') AND currency IN (\\'EUR\\')', " +
      "'default.merchants': 'merchant_id IN (\\'1\\', \\'2\\')'}",
  })
  // The engine applies the first entry that matches the alias or the name of a table.
  const own = "merchant_id IN ('1', '2')"
  const scope = new Map([['unfiltered', own] as const, ...RUNTIME.scope])
  expect(plan({}, { scope }).query.settings).toMatchObject({
    additional_table_filters: expect.stringMatching(
      /^\{'unfiltered': 'merchant_id IN \(\\'1\\', \\'2\\'\)', 'default\.transactions': /,
    ),
  })
  const everything = plan({}, { scope: new Map() })
  expect(everything.query.settings).not.toHaveProperty('additional_table_filters')
})

test('gives totals their own titles, and refuses a choice of columns', async () => {
  const configurationReportParameters = parametersIn({ totals: 'only' })
  expect(() => plan({ configurationReportParameters })).toThrow('none beside totals')
  const totals = { configurationReportParameters, outputReportParameters: [] }
  const planned = plan(totals)
  expect(await emptyFile(planned)).toBe(
    '"Currency";"Transaction_type";"Status";"Dispute_stage";"Rows";"Amount"\r\n',
  )
  expect(planned.query.sql).toContain('GROUP BY key_0')
  const { totals: _, ...without } = TEMPLATE
  expect(() => plan(totals, {}, without)).toThrow('this report has none')
})
