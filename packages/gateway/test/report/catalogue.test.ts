// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { forEachFilter } from '@counterfoil/protocol'
import { type Role, ROLES } from '../../../common/src/roles.ts'
import { templateSchema } from '../../../templates/src/template/template.ts'
import { readYaml } from '../../../common/src/read-yaml.ts'
import { FORMAT_NAMES } from '../../../formats/src/format/formats.ts'
import { ask, LIST, parameters, readCatalogue } from '../kit/ask.ts'
import { insertRows } from '../kit/ledger-rows.ts'
import { findEndpoints } from '../kit/operate.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { runHere } from '../kit/run-here.ts'
import { EVERY_REPORT, type Login } from '../kit/sandbox.ts'
import { isSeenBy } from '../oracles/ledger-sql.ts'
import { readTexts } from '../oracles/reports-kit.ts'

const OLD = '/old/services/v1/rpt-engine'
const OLDEST = '/oldest/rpt'
const OLDEST_ORIGIN = 'https://reports.before.example'

/** A report with a column that one role may see. */
const SHARES = `identifier: shares
title: Shares
description: Who gets what.
roles: [operator, merchant]
formats: [CSV]
columns:
  - {name: Id, kind: id, sql: transaction_id, about: the id}
  - {name: Margin, kind: money, sql: gateway_fee, about: what is left, roles: [operator]}
order: [merchant_id, created_at, transaction_id]
totals: {by: [Id], columns: [Margin]}
`

const OWN_NAMES = `identifier: Own_Report-1.b
title: Own names
description: Names that merchants already send.
roles: [merchant]
formats: [CSV]
parameters:
  - name: min-Amount.1
    title: Only amounts of at least this
    type: INPUT_NUMBER
    condition: amount >= {min_Amount_1:Decimal(38, 8)}
columns:
  - {name: Amount, kind: money, sql: amount, about: the amount}
order: [merchant_id, created_at, transaction_id]
`

const { sandbox, gateway } = await serveSandbox([2000, EVERY_REPORT], ({ reports }) => {
  writeFileSync(join(reports, 'shares.yaml'), SHARES)
  writeFileSync(join(reports, 'Own_Report-1.b.yaml'), OWN_NAMES)
  const oldReportPaths = [
    { path: OLD, deprecatedSince: '2026-01-31', servedUntil: '2027-01-31' },
    { path: OLDEST, publicUrl: OLDEST_ORIGIN, deprecatedSince: '2025-01-31' },
  ]
  return { oldReportPaths, timezone: 'America/New_York', businessDayZone: 'Asia/Kolkata' }
})

const catalogueOf = (role: Role) => readCatalogue(gateway, sandbox.logins[role])

/** Finds a report in the catalogue of a role. */
async function described(identifier: string, role: Role = 'operator') {
  const { reports } = await catalogueOf(role)
  return reports.find(({ reportIdentifier }) => reportIdentifier === identifier)
}

describe.each(ROLES)('the catalogue of a %s', (role) => {
  test('holds the reports of the role, each with an example that is ready to send', async () => {
    const catalogue = await catalogueOf(role)
    expect(catalogue).toMatchObject({ login: role, role })
    const identifiers = catalogue.reports.map(({ reportIdentifier }) => reportIdentifier)
    expect(identifiers).toContain('transactions-list')
    expect(identifiers.includes('shares')).toBe(role === 'operator' || role === 'merchant')
    expect((await described('transactions-list', role))?.formats).toEqual(FORMAT_NAMES)
    for (const { example, columns } of catalogue.reports) {
      const { status, headers, text } = await ask(gateway, sandbox.logins[role], example)
      const shown = columns.filter(({ optional }) => !optional).map(({ name }) => `"${name}"`)
      const line = text.split('\r\n')[0]
      const answer = [example.reportIdentifier, status, headers['content-type'], line]
      const csv = 'text/csv; charset=UTF-8'
      expect(answer).toEqual([example.reportIdentifier, 200, csv, shown.join(',')])
    }
  })
})

test('answers the sample of the specification by an alias of a shipped report', async () => {
  const answer = await ask(gateway, sandbox.logins.merchant, {
    reportIdentifier: 'exampleReport',
    reportEncode: 'UTF-8',
    reportName: 'example',
    reportCsvDelimiter: ',',
    reportFormat: 'CSV',
    configurationReportParameters: [],
    ...parameters({ example: 'example' }),
    outputReportParameters: [],
    filters: forEachFilter(() => []),
  })
  expect(answer.text.split('\r\n')[0]).toBe(
    '"Merchant_Name","Transaction_id","Merchant_OID","Created_date","Amount","Currency","Transaction_type","Order_description","Date_of_report"',
  )
  expect(Number(answer.trailers['counterfoil-rows'])).toBeGreaterThan(0)
  const { text } = await ask(gateway, sandbox.logins.merchant, LIST)
  expect(answer.text).toBe(text)
})

test('takes identifiers and parameters of both cases, digits, "_", "-" and "."', async () => {
  const askOwn = async (value: string) => {
    const request = { reportIdentifier: 'Own_Report-1.b', ...parameters({ 'min-Amount.1': value }) }
    return await ask(gateway, sandbox.logins.merchant, request)
  }
  const [all, some] = [await askOwn(''), await askOwn('100')]
  const amounts = some.text.match(/\d+\.\d{3}/g) ?? []
  expect(amounts.length).toBeGreaterThan(0)
  expect(amounts.filter((amount) => Number(amount) < 100)).toEqual([])
  expect(amounts.length).toBeLessThan(Number(all.trailers['counterfoil-rows']))
  const own = await described('Own_Report-1.b', 'merchant')
  expect(own?.inputReportParameters.map(({ name }) => name)).toContain('min-Amount.1')
})

test('reads and prints times in the zone of the request, of the login or of the gateway, and names it', async () => {
  const riga = await sandbox.addLogin('riga', 'merchant', ['1'], 'Europe/Riga')
  const day = { dateFrom: '2026-10-05', dateTo: '2026-10-06' }
  for (const [login, zone] of [
    [riga, 'Europe/Riga'],
    [sandbox.logins.merchant, 'America/New_York'],
  ] as const) {
    const usual = await ask(gateway, login, { ...LIST, ...parameters(day) })
    expect(usual.headers['counterfoil-timezone']).toBe(zone)
    const named = await ask(gateway, login, { ...LIST, ...parameters({ ...day, timezone: zone }) })
    expect(named.text).toBe(usual.text)
    const other = await ask(gateway, login, { ...LIST, ...parameters({ ...day, timezone: 'UTC' }) })
    expect(other.headers['counterfoil-timezone']).toBe('UTC')
    expect(other.text).not.toBe(usual.text)
    const { reports } = await readCatalogue(gateway, login)
    const inputs = reports.flatMap((report) => report.inputReportParameters)
    const zones = inputs.filter(({ name }) => name === 'timezone').map((one) => one['default'])
    expect(new Set(zones)).toEqual(new Set([zone]))
    const id = String(usual.headers['counterfoil-request-id'])
    const runUrl = { sandbox, reportUrl: `${gateway.reportUrl}/runs/${id}` }
    const run = await ask(runUrl, login, '', { method: 'GET' })
    expect(JSON.parse(run.text)).toMatchObject({ timezone: zone })
  }
})

test('hides columns of other roles, and changes the schema hash', async () => {
  const [all, own] = [await described('shares'), await described('shares', 'merchant')]
  expect(all?.columns.map(({ name }) => name)).toEqual(['Id', 'Margin'])
  expect(own?.columns.map(({ name }) => name)).toEqual(['Id'])
  expect(JSON.stringify(own)).not.toContain('Margin')
  expect(all?.schemaHash).not.toBe(own?.schemaHash)
})

test('lists every column, parameter, format and filter of a report', async () => {
  const { reports } = await catalogueOf('operator')
  for (const report of reports) {
    const file = join(sandbox.reports, `${report.reportIdentifier}.yaml`)
    const template = readYaml(file, templateSchema, 'template').value
    expect(report.columns.map(({ name }) => name)).toEqual(template.columns.map(({ name }) => name))
    const names = report.inputReportParameters.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(template.parameters.map(({ name }) => name)))
    expect(names).toContain('timezone')
    expect(names.includes('dateFrom')).toBe(template.period !== undefined)
    expect(report.formats).toEqual(template.formats)
    expect(report.filters).toHaveLength(9)
    const isSettled = /^settlement-|^fees-/.test(report.reportIdentifier)
    expect(report.currencyFilter).toBe(isSettled ? 'settlement' : 'transaction')
    const axes = Object.values(template.period?.axes ?? {}).map(({ sql }) => sql)
    const isDated = axes.includes('bank_date') || axes.includes('business_day')
    expect(report.note?.includes('Business days are days in Asia/Kolkata.') ?? false).toBe(isDated)
  }
})

test('lists a merchant’s endpoints, and nobody else’s', async () => {
  const { endpoints } = await catalogueOf('merchant')
  const { own, foreign } = await findEndpoints(gateway.engine, sandbox.logins.merchant)
  expect(endpoints).toContainEqual({ id: own.id, currency: own.currency })
  expect(endpoints.map(({ id }) => id)).not.toContain(foreign.id)
  for (const role of ['operator', 'manager'] as const) {
    expect((await catalogueOf(role)).endpoints).toEqual([])
  }
})

test('describes the gateway to anybody at /.well-known/counterfoil', async () => {
  const { origin, pathname } = new URL(gateway.reportUrl)
  const answer = await fetch(`${origin}/.well-known/counterfoil`)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(await answer.json()).toEqual({
    environment: 'sandbox',
    reportPath: pathname,
    reportUrl: gateway.reportUrl,
    refusalStatus: 200,
    cataloguePath: `${pathname}/catalogue`,
    catalogueUrl: `${gateway.reportUrl}/catalogue`,
    runsUrl: `${gateway.reportUrl}/runs`,
    jwksUrl: `${origin}/.well-known/jwks.json`,
    consoleUrl: `${origin}/console/`,
    openApiUrl: `${origin}/.well-known/openapi.json`,
    signatureMethods: ['HMAC-SHA1', 'RSA-SHA256'],
    formats: FORMAT_NAMES,
    encodings: expect.arrayContaining(['UTF-8', 'UTF-16LE', 'WINDOWS-1251', 'SHIFT_JIS']),
    operationUrls: {
      'pan-eligibility': `${origin}/gate/api/v2/pan-eligibility/send/`,
      transfer: `${origin}/gate/api/v4/transfer/`,
      'transfer-by-ref': `${origin}/gate/api/v4/transfer-by-ref/`,
      payout: `${origin}/gate/api/v4/payout/`,
    },
  })
  const posted = await fetch(`${origin}/.well-known/counterfoil`, { method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test.each(['operator', 'merchant'] as const)(
  'lists what a %s may filter by, with names, and reports accept it as it is listed',
  async (role) => {
    const { filterValues } = await catalogueOf(role)
    const { merchants, currencies } = filterValues
    const known = `SELECT merchant_id AS id, name FROM merchants
      WHERE ${isSeenBy(sandbox.logins[role])} ORDER BY name`
    expect(merchants.values).toEqual(await readTexts(gateway, known))
    expect(currencies.values).toContainEqual({ id: 'EUR', name: 'EUR' })
    for (const [name, { values, more }] of Object.entries(filterValues)) {
      expect([name, more, values.length > 0]).toEqual([name, false, true])
      expect(values.filter((value) => value.name === '')).toEqual([])
      const filtered = { ...LIST, filters: { [name]: values } }
      const answer = await ask(gateway, sandbox.logins[role], filtered)
      expect([name, answer.headers['content-type']]).toEqual([name, 'text/csv; charset=UTF-8'])
    }
  },
)

test('lists no filter value of a login that sees nothing', async () => {
  const empty = await sandbox.addLogin('empty', 'merchant', ['999997'])
  const { filterValues } = await readCatalogue(gateway, empty)
  expect(new Set(Object.values(filterValues).map((one) => JSON.stringify(one)))).toEqual(
    new Set(['{"values":[],"more":false}']),
  )
})

test('names the column with the currency of each amount', async () => {
  const { reports } = await catalogueOf('operator')
  for (const { reportIdentifier, columns } of reports) {
    if (reportIdentifier === 'shares') continue
    for (const { name, kind, currencyColumn } of columns) {
      const currency = columns.find((column) => column.name === currencyColumn)
      expect([name, currency?.kind]).toEqual([name, kind === 'money' ? 'text' : undefined])
    }
  }
  const details = await described('settlement-details')
  const fee = details?.columns.find(({ name }) => name === 'Fee_gateway')
  expect(fee?.currencyColumn).toBe('Settlement_currency')
})

describe('an old report path', () => {
  test('serves the same report, and names its deprecation date and the new path', async () => {
    const { origin } = new URL(gateway.reportUrl)
    const now = await ask(gateway, sandbox.logins.merchant)
    const old = await ask({ sandbox, reportUrl: origin + OLD }, sandbox.logins.merchant)
    expect(old.text).toBe(now.text)
    expect(old.headers).toMatchObject({
      deprecation: `@${Date.UTC(2026, 0, 31) / 1000}`,
      sunset: 'Sun, 31 Jan 2027 00:00:00 GMT',
      link: `<${gateway.reportUrl}>; rel="successor-version"`,
    })
    expect(now.headers).not.toHaveProperty('deprecation')
  })

  test('is signed with its own address only', async () => {
    const { origin } = new URL(gateway.reportUrl)
    const url = origin + OLDEST
    const signedFor = (signed: string) => {
      return ask({ sandbox, reportUrl: signed }, sandbox.logins.merchant, LIST, { url })
    }
    const answer = await signedFor(OLDEST_ORIGIN + OLDEST)
    expect(answer.headers['content-type']).toBe('text/csv; charset=UTF-8')
    expect(answer.headers).not.toHaveProperty('sunset')
    for (const signed of [url, gateway.reportUrl, origin + OLD]) {
      expect((await signedFor(signed)).text).toMatch(/^You are not authorised/)
    }
  })
})

test('reports show prints a body that is ready to send, while a gateway holds the ledger', async () => {
  const shown = await runHere('reports show shares --for merchant', '--config', gateway.config)
  expect(shown.code).toBe(0)
  const answer = await ask(gateway, sandbox.logins.merchant, shown.stdout)
  expect(answer.text.split('\r\n')[0]).toBe('"Id"')
})

test('reports list names the reports of the login, as does the error of show', async () => {
  const config = ['--config', gateway.config]
  const listed = await runHere('reports list --for reseller', ...config)
  expect(listed.code).toBe(0)
  expect(listed.stdout).toContain('transactions-list')
  expect(listed.stdout).not.toContain('shares')
  const shown = await runHere('reports show shares --for reseller', ...config)
  expect(shown.code).toBe(1)
  expect(shown.stderr).toMatch(
    /reseller has no report shares. The reports for a reseller: .*transactions-list/,
  )
  const nobody = await runHere('reports list --for nobody', ...config)
  expect(nobody.code).toBe(1)
  expect(nobody.stderr).toContain('logins list')
})

describe('the newest row that a login may see', () => {
  // Newer than every row of a generated ledger, and older than the 35 days that the gateway reads first.
  const OWN = '2026-10-31 23:59:58.750'
  const OTHERS = '2030-01-02 03:04:05.678'
  const NEVER = { dateFrom: '2040-01-01', dateTo: '2040-01-02' }
  const rowAt = (id: bigint, createdAt: string, merchant: string, manager: string, version = 1) => {
    return { id, createdAt, merchant, manager, version }
  }

  /** Returns the newest row that the catalogue and the header of an empty report name. */
  async function newestOf(login: Login, filters = {}): Promise<unknown> {
    const answer = await ask(gateway, login, { ...LIST, filters, ...parameters(NEVER) })
    expect(answer.trailers['counterfoil-rows']).toBe('0')
    const { newestRows } = await readCatalogue(gateway, login)
    expect(answer.headers['counterfoil-newest-row']).toBe(newestRows.transactions)
    return newestRows.transactions
  }

  test('counts its own rows only, whatever the filters', async () => {
    const { operator, manager, reseller, merchant } = sandbox.logins
    const nobody = await sandbox.addLogin('nobody', 'merchant', ['999999'])
    const before = await newestOf(reseller)
    expect(before).toMatch(/^2026-10-\d\dT\d\d:\d\d:\d\dZ$/)
    await insertRows(gateway.engine, [
      rowAt(7_000_000_000_000_000_001n, OWN, '5', '1'),
      rowAt(7_000_000_000_000_000_002n, OTHERS, '3', '2'),
      // This transaction belonged to manager 1 before manager 2.
      rowAt(7_000_000_000_000_000_003n, OTHERS, '4', '1'),
      rowAt(7_000_000_000_000_000_003n, OTHERS, '4', '2', 2),
    ])
    // The gateway caches what other tests have read.
    const soon = (login: Login) => expect.poll(() => newestOf(login), { interval: 500 })
    await soon(operator).toBe('2030-01-02T03:04:05Z')
    await soon(manager).toBe('2026-10-31T23:59:58Z')
    await soon(merchant).toBe('2026-10-31T23:59:58Z')
    expect(await newestOf(merchant, { merchants: [1] })).toBe('2026-10-31T23:59:58Z')
    expect(await newestOf(reseller)).toBe(before)
    expect(await newestOf(nobody)).toBe('none')
  })

  test('may be years old', async () => {
    const old = await sandbox.addLogin('old', 'merchant', ['999998'])
    const row = rowAt(7_000_000_000_000_000_004n, '2019-05-06 07:08:09.999', '999998', '1')
    await insertRows(gateway.engine, [row])
    expect(await newestOf(old)).toBe('2019-05-06T07:08:09Z')
  })

  test('is a day for a report on statements', async () => {
    const { merchant } = sandbox.logins
    const sql = `SELECT max(business_day) AS day FROM statements WHERE ${isSeenBy(merchant)}`
    const [{ day = '' } = {}] = await readTexts(gateway, sql)
    expect(day).toMatch(/^2026-\d\d-\d\d$/)
    const request = { reportIdentifier: 'settlement-statement', ...parameters(NEVER) }
    const { headers } = await ask(gateway, merchant, request)
    expect(headers['counterfoil-newest-row']).toBe(day)
  })
})
