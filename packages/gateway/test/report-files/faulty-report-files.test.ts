// @module-tag long

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadCatalogue } from '../../../templates/src/template/load-templates.ts'
import { runHere } from '../kit/run-here.ts'
import { useSandbox } from '../kit/served-sandbox.ts'
import { openScratchLedger, type ScratchLedger } from '../kit/scratch-ledger.ts'

const LIST = join(import.meta.dirname, '../../../../reports/transactions-list.yaml')

const sandbox = await useSandbox(0)
const reports = join(sandbox.folder, 'broken')
beforeEach(() => {
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports)
})

async function serve() {
  const config = await sandbox.writeConfig({ reports })
  const { code, stdout, stderr } = await runHere('serve', '--config', config)
  return { code, faults: linesOf(stderr.trim()), stdout }
}

function linesOf(message: string): readonly string[] {
  return message.replaceAll(`${reports}/`, '').split('\n')
}

/** Writes the list of transactions with changes, and returns the line of each change. */
function writeReport(file: string, ...changes: readonly [from: string, to: string][]): number[] {
  let text = readFileSync(LIST, 'utf8')
  const lines = changes.map(([from, to]) => {
    expect(text).toContain(from)
    const line = text.slice(0, text.indexOf(from)).split('\n').length
    text = text.replace(from, () => to)
    return line
  })
  writeFileSync(join(reports, file), text)
  return lines
}

test('serve does not start on SQL that the engine refuses, and names every place of it', async () => {
  const lines = writeReport(
    'transactions-list.yaml',
    ['{sql: bank_date, ', '{sql: bank_day, '],
    ['changes: loaded_at', 'changes: loaded_on'],
    ['condition: status IN', 'condition: state IN'],
    ['sql: client_order_id', 'sql: client_order_number'],
    ['sql: amount', 'sql: ammount + 1'],
    ['created_at, transaction_id]', 'created_at, id_of_transaction]'],
  )
  const { code, faults, stdout } = await serve()
  expect(code).toBe(1)
  expect(stdout).not.toContain('listening')
  const named = [
    [lines[0], 'period.axes.bank.sql', 'bank_day'],
    [lines[1], 'changes', 'loaded_on'],
    [lines[2], 'parameters[0].condition', 'state'],
    [lines[3], 'columns[2].sql', 'client_order_number'],
    [lines[4], 'columns[4].sql', 'ammount'],
    [lines[5], 'order[2]', 'id_of_transaction'],
  ]
  const places = named.map(([line, path]) => `transactions-list.yaml:${line}: ${path}`)
  const faultOf = (fault: string) => fault.replace('error: ', '').split(': ', 2).join(': ')
  expect(faults.map(faultOf)).toEqual(places)
  for (const [index, [, , word]] of named.entries()) expect(faults[index]).toContain(word)
})

test('serve does not start without a report, or without the folder', async () => {
  expect((await serve()).faults).toEqual([expect.stringContaining('got none')])
  rmSync(reports, { recursive: true })
  const { code, faults } = await serve()
  expect(code).toBe(1)
  expect(faults.join()).toContain('Cannot read the folder of report files')
})

const ROLES = 'roles: [operator, manager, reseller, merchant]'

/** Each faulty report file: what is wrong, a part of the error, and how the file differs from transactions-list. */
const FAULTY = String.raw`
a repeated column name | columns[2].name: expected a unique name
  name: Merchant_OID => name: Transaction_id
a repeated parameter name | parameters[1].name: expected a unique name
  - name: types => - name: statuses
the reserved parameter name "now" | parameters[1].name: expected another name
  - name: types => - name: now
the reserved parameter name "dateFrom" | parameters[1].name: expected another name
  - name: types => - name: dateFrom
the reserved parameter name "changedSince" | parameters[1].name: expected another name
  - name: types => - name: changedSince
a choice without values | allowed: expected the allowed values
      allowed: statuses\n =>
an unknown list of values | parameters[0].allowed:
  allowed: statuses => allowed: colours
a default beside "required" | parameters[0].default: expected no default for a required parameter
      allowed: statuses\n =>     allowed: statuses\n    required: true\n    default: sale\n
a default that its own parameter refuses | parameters[0].default: expected a list, separated by commas, where each is one of approved
  changes: loaded_at\n =>
      allowed: statuses\n =>     allowed: statuses\n    default: paid\n
a longest period without required ends | period.daysMax: expected "required: true" beside it
  period:\n => period:\n  daysMax: 31\n
an alias that is the identifier | aliases: expected a unique identifier, got transactions-list
  aliases: [exampleReport, example] => aliases: [transactions-list]
changes of groups | changes: not allowed beside "group"
  columns:\n => group: [status]\ncolumns:\n
changes within a required period | changes: not allowed beside a required period
  period:\n => period:\n  required: true\n
changes beside a condition of every request | changes: not allowed beside the condition of statuses, which every request has
      allowed: statuses\n =>     allowed: statuses\n    default: approved\n
rows of another table | rows:
  columns:\n => rows: merchants\ncolumns:\n
a backtick | columns[4].name: expected a title without
  - name: Amount => - name: "A\x60mount"
a column for a role that the report does not have | columns[4].roles: expected roles of the report, got merchant
  roles: [operator, manager, reseller, merchant] => roles: [operator]
  sql: amount\n => sql: amount\n    roles: [operator, merchant]\n
totals of a missing column | totals.columns[0]: expected the name of a column
    columns: [Amount] =>   columns: [Sum]
totals by a column that some roles do not see | totals.by[0]: expected a column for each of the roles operator, manager
  sql: currency, => sql: currency, roles: [operator],
totals of texts | totals.columns[0]: expected a column of the kind money or integer
    columns: [Amount] =>   columns: [Currency]
sums by currency of a column that is not summed | totals.byCurrency[0]: expected an amount of "columns"
    columns: [Amount] =>   columns: [Amount]\n  byCurrency: [Sum]
sums by a currency that does not separate the totals | totals.byCurrency[0]: expected an amount of "columns"
    by: [Currency, =>   by: [
    columns: [Amount] =>   columns: [Amount]\n  byCurrency: [Amount]
an amount in a missing currency | columns[4].currency: expected the name of a column
  sql: amount\n => sql: amount\n    currency: Coin\n
an amount in a currency that some roles do not see | columns[4].currency: expected a column for each of the roles operator, manager
  sql: amount\n => sql: amount\n    currency: Currency\n
  sql: currency, => sql: currency, roles: [operator],
a text in a currency | columns[10].currency: not allowed: only a column of the kind money has a currency
  kind: text, sql: status, => kind: text, sql: status, currency: Currency,
another name than its file | identifier: expected "transactions-list", the name of the file
  identifier: transactions-list => identifier: other-list
invalid YAML |
  columns: => columns: [
a placeholder without a parameter | columns[4].sql:
  sql: amount => sql: 'amount * {factor:UInt8}'`
  .trim()
  .split(/\n(?=\S)/)
  .map((text) => {
    const [head = '', ...lines] = text.split('\n')
    const [what = '', fault = ''] = head.split(' |')
    const changes = lines.map((line): [string, string] => {
      const [from = '', to = ''] = line.slice(2).split(/ => ?/)
      return [unescaped(from), unescaped(to)]
    })
    return [what, fault.trim(), changes] as const
  })

function unescaped(text: string): string {
  return text.replaceAll('\\n', '\n').replaceAll('\\x60', '`')
}

describe('the check of report files', () => {
  let ledger: ScratchLedger
  // A process has one ledger open at a time, so this follows the tests of serve.
  beforeAll(async () => {
    ledger = await openScratchLedger()
  })
  afterAll(() => ledger.close())

  /** Loads the report files as `serve` does, on an open engine, and returns the faults. */
  async function load(): Promise<readonly string[]> {
    const loading = loadCatalogue(reports, ledger.engine)
    const { message } = await loading.then(
      () => new Error('loaded'),
      (error: Error) => error,
    )
    return linesOf(message)
  }

  test('refuses wrong members and names, and names all of them at once', async () => {
    const lines = writeReport(
      'transactions-list.yaml',
      // This change adds a line, so it comes first.
      [ROLES, `formats: [DOC]\n${ROLES}`],
      ['title: Transactions', 'titel: Transactions'],
      ['kind: money', 'kind: cash'],
      ['created: {sql:', 'created: {kind: hour, sql:'],
    )
    const all = (await load()).join('\n')
    expect(all).toContain(
      `transactions-list.yaml:${lines[1]}: titel: unknown name, did you mean "title"?`,
    )
    expect(all).toContain(`transactions-list.yaml:${lines[2]}: columns[4].kind: `)
    expect(all).toContain(`transactions-list.yaml:${lines[0]}: formats[0]: `)
    expect(all).toContain(`transactions-list.yaml:${lines[3]}: period.axes.created.kind: `)
  })

  test.each(FAULTY)('refuses a report with %s', async (_, fault, changes) => {
    writeReport('transactions-list.yaml', ...changes)
    const faults = await load()
    expect(faults[0]).toMatch(/^transactions-list\.yaml:\d+: /)
    expect(faults.join('\n')).toContain(fault)
  })
})
