import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendReport, startGateway } from '../../client/test/fixture-gateway.ts'
import { nameOutput } from '../src/report/build-request.ts'
import { folder, merchantEnv, useFolder } from './fixture.ts'
import { runHere } from './run-command.ts'

useFolder()

const parameter = (name: string, value: string) => ({ type: 'INPUT_TEXT', name, value })
const spreadsheet = (locale: string) => parameter('spreadsheet', locale)

const REQUEST = {
  reportIdentifier: 'x',
  reportCsvDelimiter: ',',
  configurationReportParameters: [spreadsheet('fr-FR'), parameter('header', 'off')],
  inputReportParameters: [parameter('dateFrom', '2026-01-01'), parameter('statuses', 'approved')],
  filters: { merchants: [1], currencies: ['EUR'] },
}

test.each<[options: string, request: object]>([
  [
    `x --from 2026-05-01 --to 2026-06-01 --timezone Europe/Riga --parameter note=a=b
      --filter merchants=1,2 --filter currencies=EUR --filter merchants="a,b"
      --encode UTF-8 --delimiter ; --format CSV --name Май`,
    {
      reportIdentifier: 'x',
      reportEncode: 'UTF-8',
      reportCsvDelimiter: ';',
      reportFormat: 'CSV',
      reportName: 'Май',
      inputReportParameters: [
        parameter('dateFrom', '2026-05-01'),
        parameter('dateTo', '2026-06-01'),
        parameter('timezone', 'Europe/Riga'),
        parameter('note', 'a=b'),
      ],
      filters: { merchants: ['1', '2', 'a,b'], currencies: ['EUR'] },
    },
  ],
  ['--request request.json', REQUEST],
  [
    'other --request request.json --from 2026-05-01 --filter merchants=2',
    {
      ...REQUEST,
      reportIdentifier: 'other',
      inputReportParameters: [
        parameter('statuses', 'approved'),
        parameter('dateFrom', '2026-05-01'),
      ],
      filters: { merchants: ['2'], currencies: ['EUR'] },
    },
  ],
  ['x --for-excel de', { configurationReportParameters: [spreadsheet('de-DE')] }],
  [
    'x --for-excel en_GB --delimiter | --configuration decimals=2',
    {
      reportCsvDelimiter: '|',
      configurationReportParameters: [parameter('decimals', '2'), spreadsheet('en-GB')],
    },
  ],
  [
    '--for-excel pt --request request.json',
    { configurationReportParameters: [parameter('header', 'off'), spreadsheet('pt-BR')] },
  ],
  ['x -o a.XLSX', { reportFormat: 'XLSX' }],
  ['x -o b.pdf', { reportFormat: 'PDF' }],
  ['x -o c.jsonl', { reportFormat: 'JSONL' }],
  ['x -o d-{report}.parquet', { reportFormat: 'PARQUET' }],
  ['x -o e.csv', { reportFormat: 'CSV' }],
  ['x --format xlsx -o f.xlsx', { reportFormat: 'xlsx' }],
])('sends what %s says', async (options, request) => {
  const gateway = await startGateway((response) => sendReport(response))
  await writeFile(join(folder, 'request.json'), JSON.stringify(REQUEST))
  const args = ['report', ...options.split(/\s+/)]
  expect(await runHere(args, { folder, env: merchantEnv(gateway) })).toMatchObject({ code: 0 })
  expect(gateway.received[0]?.request).toMatchObject(request)
})

test.each<[options: string, message: RegExp]>([
  ['', /missing the IDENTIFIER of the report.*\nSee: counterfoil report --help\n$/],
  ['x --endpont=1', /option '--endpont'\n\(Did you mean --endpoint\?\)/],
  ['x --parameter statuses', /Expected NAME=VALUE/],
  ['x --filter shops=1', /Expected one of gates, companies/],
  ['x --filter merchants=', /Expected ids/],
  ['x --control-key-file a --private-key b', /expected one key/],
  ['x --control-key-file none', /--control-key-file: .*ENOENT/],
  ['x --private-key broken.json', /--private-key: broken\.json holds no PEM key/],
  ['x --request none.json', /--request: .*ENOENT/],
  ['x --request broken.json', /--request: expected a JSON object in broken\.json/],
  ['x --json -o -', /not both/],
  ['x --since-last -o -', /use --since-last or -o -, not both/],
  ['x --endpoint http://gateway.example/', /expected https:/],
  ['x --for-excel ?', /--for-excel: expected a language or a locale/],
  ['x --format csv -o october.xlsx', /--output: \.xlsx is XLSX, but the format is csv;/],
  ['x -o october.XLS', /--output: there is no format for \.xls; write \.xlsx/],
])('report %s: ends with exit code 2', async (options, message) => {
  const gateway = await startGateway((response) => sendReport(response))
  await writeFile(join(folder, 'broken.json'), '{')
  const args = ['report', ...options.split(' ').filter(Boolean)]
  const { code, stderr } = await runHere(args, { folder, env: merchantEnv(gateway) })
  expect(stderr).toMatch(message)
  expect(code).toBe(2)
  expect(gateway.received).toEqual([])
})

const values = { report: 'transactions-list', from: '2026-05-01', to: '2026-06-01 13:45:00' }

test.each([
  ['tx-{from}-{to}.csv', 'tx-2026-05-01-2026-06-01T134500.csv'],
  ['/srv/{report}/{from}.csv', '/srv/transactions-list/2026-05-01.csv'],
  ['{}.csv', '{}.csv'],
])('writes %s to %s', (output, file) => {
  expect(nameOutput(output, values)).toBe(file)
})

test('lets no value name another folder, and refuses unknown names', () => {
  expect(nameOutput('a-{from}.csv', { ...values, from: '../..\\c:/x' })).toBe('a-....cx.csv')
  expect(() => nameOutput('{day}.csv', values)).toThrow('unknown {day}; there are {report}')
  expect(() => nameOutput('{constructor}.csv', values)).toThrow('unknown {constructor}')
  expect(() => nameOutput('{to}.csv', { ...values, to: undefined })).toThrow('{to} needs --to')
})
