// @module-tag long

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, parameters } from '../kit/ask.ts'
import { runCommand } from '../kit/child-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

/** This test follows docs/templates.md as a new user does. */
const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/templates.md'), 'utf8')
const [, REPORT = ''] = /```yaml\n(.*?)```/s.exec(PAGE) ?? []
const [, NAME = ''] = /Save this as\s+`(.*?)\.yaml`/.exec(PAGE) ?? []
const [, FIRST_LINE = ''] = /The first line is\n\n```\n(.*?)\n```/s.exec(PAGE) ?? []

let reports = ''
const { sandbox, gateway } = await serveSandbox([], ({ folder }) => {
  reports = join(folder, 'eleventh')
  mkdirSync(reports)
  writeFileSync(join(reports, `${NAME}.yaml`), REPORT)
  return { reports }
})

test('checks and serves the report of docs/templates.md as the page says', async () => {
  const command = runCommand(['check', reports])
  expect(await command.ended).toMatchObject({ code: 0 })
  expect(command.stderr()).toBe('')
  expect(command.stdout()).toContain(NAME)
  const inputs = parameters({
    dateFrom: '2026-01-01',
    dateTo: '2026-04-03',
    timezone: 'Europe/Berlin',
  })
  const request = { reportIdentifier: NAME, ...inputs }
  const { text, status } = await ask(gateway, sandbox.logins.merchant, request)
  const [first, ...rows] = text.trimEnd().split('\r\n')
  expect([status, first]).toEqual([200, FIRST_LINE])
  expect(rows.length).toBeGreaterThan(5)
  for (const row of rows) expect(Number(row.split('","')[2])).toBeGreaterThanOrEqual(100)
  const operator = await ask(gateway, sandbox.logins.operator, request)
  expect(operator.text.split('\r\n')[0]).toBe(`${FIRST_LINE},"Merchant"`)
  const configurationReportParameters = [{ type: 'INPUT_TEXT', name: 'totals', value: 'only' }]
  const totals = await ask(gateway, sandbox.logins.merchant, {
    ...request,
    configurationReportParameters,
  })
  expect(totals.text.split('\r\n')[0]).toBe('"Currency","Rows","Amount"')
  const longer = { ...request, ...parameters({ dateFrom: '2026-01-01', dateTo: '2026-04-04' }) }
  expect((await ask(gateway, sandbox.logins.merchant, longer)).text).toContain(
    'at most 92 days, got 93',
  )
})
