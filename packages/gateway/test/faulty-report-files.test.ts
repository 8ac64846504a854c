import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCommand } from './child-gateway.ts'
import { makeSandbox, type Sandbox } from './sandbox.ts'

const LIST = join(import.meta.dirname, '../../../reports/transactions-list.yaml')

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
  const command = runCommand(['serve', '--config', config])
  const ended = await command.ended
  const faults = command.stderr().trim().replaceAll(`${reports}/`, '').split('\n')
  return { ended, faults, stdout: command.stdout() }
}

/** Writes the list of transactions with other words in it; returns the line of each change. */
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

test('serve does not start on SQL that the engine does not take, and names every place of it', async () => {
  const lines = writeReport(
    'transactions-list.yaml',
    ['sql: client_order_id', 'sql: client_order_number'],
    ['condition: status IN', 'condition: state IN'],
    ['sql: amount', 'sql: ammount + 1'],
    ['created_at, transaction_id]', 'created_at, id_of_transaction]'],
  )
  const { ended, faults, stdout } = await serve()
  expect(ended).toEqual({ code: 1, signal: null })
  expect(stdout).toBe('')
  const named = [
    [lines[0], 'columns[2].sql', 'client_order_number'],
    [lines[2], 'columns[4].sql', 'ammount'],
    [lines[1], 'parameters[3].condition', 'state'],
    [lines[3], 'order[2]', 'id_of_transaction'],
  ]
  for (const [line, path, word] of named) {
    const fault = faults.find((found) =>
      found.includes(`transactions-list.yaml:${line}: ${path}: `),
    )
    expect(fault).toContain(word)
  }
  expect(faults).toHaveLength(named.length)
})

test('serve does not start on members and names that are wrong, and names all of them at once', async () => {
  const lines = writeReport(
    'transactions-list.yaml',
    ['title: Transactions', 'titel: Transactions'],
    ['- name: Merchant_OID', '- name: Transaction_id'],
    ['kind: money', 'kind: cash'],
    ['formats: [CSV]', 'formats: [DOC]'],
  )
  const { ended, faults } = await serve()
  expect(ended.code).toBe(1)
  const all = faults.join('\n')
  expect(all).toContain(
    `transactions-list.yaml:${lines[0]}: titel: unknown name, did you mean "title"?`,
  )
  expect(all).toContain(`transactions-list.yaml:${lines[2]}: columns[4].kind: `)
  expect(all).toContain(`transactions-list.yaml:${lines[3]}: formats[0]: `)
})

test.each<[what: string, changes: [string, string][], fault: string]>([
  [
    'names twice',
    [['- name: Merchant_OID', '- name: Transaction_id']],
    'columns[2].name: expected a name of its own',
  ],
  [
    'a parameter twice',
    [['- name: types', '- name: statuses']],
    'parameters[4].name: expected a name of its own',
  ],
  [
    'a parameter "now", which is taken',
    [['- name: types', '- name: now']],
    'parameters[4].name: expected another name',
  ],
  [
    'no time zone',
    [['- name: timezone', '- name: zone']],
    'parameters: expected a parameter "timezone"',
  ],
  [
    'a choice of nothing',
    [['    allowed: timezones\n', '']],
    'allowed: expected the values that are allowed',
  ],
  ['another table', [['from: transactions', 'from: system.users']], 'from: '],
  [
    'a backtick',
    [['- name: Amount', '- name: "A`mount"']],
    'columns[4].name: expected a title without',
  ],
  [
    'another name than its file',
    [['identifier: transactions-list', 'identifier: other-list']],
    'identifier: expected "transactions-list", as the file is named',
  ],
  ['YAML that is none', [['columns:', 'columns: [']], ''],
  [
    'a placeholder that nothing fills',
    [['sql: amount', 'sql: amount * {factor:UInt8}']],
    'columns[4].sql: ',
  ],
])('serve does not start on a report with %s', async (_, changes, fault) => {
  writeReport('transactions-list.yaml', ...changes)
  const { ended, faults } = await serve()
  expect(ended).toEqual({ code: 1, signal: null })
  expect(faults[0]).toMatch(/^error: transactions-list\.yaml:\d+: /)
  expect(faults.join('\n')).toContain(fault)
})

test('serve names the faults of several files at once', async () => {
  writeReport('transactions-list.yaml', ['sql: amount', 'sql: ammount'])
  writeReport(
    'other-list.yaml',
    ['identifier: transactions-list', 'identifier: other-list'],
    ['sql: currency', 'sql: curency'],
  )
  const { faults } = await serve()
  expect(faults.map((fault) => fault.replace('error: ', '').split(':')[0])).toEqual([
    'other-list.yaml',
    'transactions-list.yaml',
  ])
})

test('serve does not start without a report, or without the folder', async () => {
  expect(await serve()).toMatchObject({
    ended: { code: 1 },
    faults: [expect.stringContaining('found none')],
  })
  rmSync(reports, { recursive: true })
  const { ended, faults } = await serve()
  expect(ended.code).toBe(1)
  expect(faults.join()).toContain('expected a folder of reports')
})
