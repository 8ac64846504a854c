// @module-tag long

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadCatalogue } from '../../../templates/src/template/load-templates.ts'
import { runHere } from '../kit/run-here.ts'
import { makeSandbox, type Sandbox } from '../kit/sandbox.ts'
import { openScratchLedger, type ScratchLedger } from '../kit/scratch-ledger.ts'

const LIST = join(import.meta.dirname, '../../../../reports/transactions-list.yaml')

let sandbox: Sandbox
let reports: string
beforeAll(async () => {
  sandbox = await makeSandbox(0)
  reports = join(sandbox.folder, 'broken')
})
beforeEach(() => {
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports)
})
afterAll(() => sandbox.remove())

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

test('serve names the faults of several files at once', async () => {
  writeReport('transactions-list.yaml', ['sql: amount', 'sql: ammount'])
  writeReport(
    'other-list.yaml',
    ['identifier: transactions-list', 'identifier: other-list'],
    ['aliases: [exampleReport, example]', 'aliases: []'],
    ['sql: currency', 'sql: curency'],
  )
  const { faults } = await serve()
  expect(faults.map((fault) => fault.replace('error: ', '').split(':')[0])).toEqual([
    'other-list.yaml',
    'transactions-list.yaml',
  ])
})

test('serve does not start without a report, or without the folder', async () => {
  expect((await serve()).faults).toEqual([expect.stringContaining('got none')])
  rmSync(reports, { recursive: true })
  const { code, faults } = await serve()
  expect(code).toBe(1)
  expect(faults.join()).toContain('Cannot read the folder of report files')
})

const ROLES = 'roles: [operator, manager, reseller, merchant]'

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

  test.each<[what: string, changes: [string, string][], fault: string]>([
    [
      'a repeated column name',
      [['name: Merchant_OID', 'name: Transaction_id']],
      'columns[2].name: expected a unique name',
    ],
    [
      'a repeated parameter name',
      [['- name: types', '- name: statuses']],
      'parameters[1].name: expected a unique name',
    ],
    ...['now', 'timezone', 'dateFrom', 'dateTo', 'dateAxis', 'changedSince'].map(
      (name): [string, [string, string][], string] => [
        `the reserved parameter name "${name}"`,
        [['- name: types', `- name: ${name}`]],
        'parameters[1].name: expected another name',
      ],
    ),
    [
      'a choice without values',
      [['    allowed: statuses\n', '']],
      'allowed: expected the allowed values',
    ],
    [
      'an unknown list of values',
      [['allowed: statuses', 'allowed: colours']],
      'parameters[0].allowed: ',
    ],
    [
      'a default beside "required"',
      [
        [
          '    allowed: statuses\n',
          '    allowed: statuses\n    required: true\n    default: sale\n',
        ],
      ],
      'parameters[0].default: expected no default for a required parameter',
    ],
    [
      'a default that its own parameter refuses',
      [
        ['changes: loaded_at\n', ''],
        ['    allowed: statuses\n', '    allowed: statuses\n    default: paid\n'],
      ],
      'parameters[0].default: expected a list, separated by commas, where each is one of approved',
    ],
    [
      'a longest period without required ends',
      [['period:\n', 'period:\n  daysMax: 31\n']],
      'period.daysMax: expected "required: true" beside it',
    ],
    [
      'an alias that is the identifier',
      [['aliases: [exampleReport, example]', 'aliases: [transactions-list]']],
      'aliases: expected a unique identifier, got transactions-list',
    ],
    [
      'changes of groups',
      [['columns:\n', 'group: [status]\ncolumns:\n']],
      'changes: not allowed beside "group"',
    ],
    [
      'changes within a required period',
      [['period:\n', 'period:\n  required: true\n']],
      'changes: not allowed beside a required period',
    ],
    [
      'changes beside a condition of every request',
      [['    allowed: statuses\n', '    allowed: statuses\n    default: approved\n']],
      'changes: not allowed beside the condition of statuses, which every request has',
    ],
    ['rows of another table', [['columns:\n', 'rows: merchants\ncolumns:\n']], 'rows: '],
    ...['202A', '202E', '2066', '2069'].map((code): [string, [string, string][], string] => [
      `U+${code} in a column's name`,
      [['- name: Amount', `- name: "A\\u${code}mount"`]],
      `columns[4].name: expected a text without bidirectional controls, which reverse it, got U+${code}`,
    ]),
    [
      'a title that shows reversed',
      [['title: Transactions', 'title: "\\u202Esnoitcasnart"']],
      'title: expected a text without bidirectional controls',
    ],
    [
      'SQL that shows reversed',
      [['sql: amount\n', `sql: "if(status = '\\u202E', amount, amount)"\n`]],
      'columns[4].sql: expected a text without bidirectional controls',
    ],
    [
      'a backtick',
      [['- name: Amount', '- name: "A`mount"']],
      'columns[4].name: expected a title without',
    ],
    [
      'a column for a role that the report does not have',
      [
        ['roles: [operator, manager, reseller, merchant]', 'roles: [operator]'],
        ['sql: amount\n', 'sql: amount\n    roles: [operator, merchant]\n'],
      ],
      'columns[4].roles: expected roles of the report, got merchant',
    ],
    [
      'totals of a missing column',
      [['  columns: [Amount]', '  columns: [Sum]']],
      'totals.columns[0]: expected the name of a column',
    ],
    [
      'totals by a column that some roles do not see',
      [['sql: currency, ', 'sql: currency, roles: [operator], ']],
      'totals.by[0]: expected a column that every role of the report has',
    ],
    [
      'totals of texts',
      [['  columns: [Amount]', '  columns: [Currency]']],
      'totals.columns[0]: expected a column of the kind money or integer',
    ],
    [
      'sums by currency of a column that is not summed',
      [['  columns: [Amount]', '  columns: [Amount]\n  byCurrency: [Sum]']],
      'totals.byCurrency[0]: expected an amount of "columns"',
    ],
    [
      'sums by a currency that does not separate the totals',
      [
        ['  by: [Currency, ', '  by: ['],
        ['  columns: [Amount]', '  columns: [Amount]\n  byCurrency: [Amount]'],
      ],
      'totals.byCurrency[0]: expected an amount of "columns"',
    ],
    [
      'an amount in a missing currency',
      [['sql: amount\n', 'sql: amount\n    currency: Coin\n']],
      'columns[4].currency: expected the name of a column of the kind text',
    ],
    [
      'an amount in a currency that some roles do not see',
      [
        ['sql: amount\n', 'sql: amount\n    currency: Currency\n'],
        ['sql: currency, ', 'sql: currency, roles: [operator], '],
      ],
      'columns[4].currency: expected a column that every role of this column has',
    ],
    [
      'a text in a currency',
      [['kind: text, sql: status, ', 'kind: text, sql: status, currency: Currency, ']],
      'columns[10].currency: not allowed: only a column of the kind money has a currency',
    ],
    [
      'another name than its file',
      [['identifier: transactions-list', 'identifier: other-list']],
      'identifier: expected "transactions-list", the name of the file',
    ],
    ['invalid YAML', [['columns:', 'columns: [']], ''],
    [
      'a placeholder without a parameter',
      [['sql: amount', "sql: 'amount * {factor:UInt8}'"]],
      'columns[4].sql: ',
    ],
  ])('refuses a report with %s', async (_, changes, fault) => {
    writeReport('transactions-list.yaml', ...changes)
    const faults = await load()
    expect(faults[0]).toMatch(/^transactions-list\.yaml:\d+: /)
    expect(faults.join('\n')).toContain(fault)
  })
})
