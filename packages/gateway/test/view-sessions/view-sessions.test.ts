import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { HEADERS, type Run } from '@counterfoil/protocol'
import { describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../../store/src/store/open-store.ts'
import { hashViewToken } from '../../src/view-sessions/session-cookie.ts'
import { type Answer, ask, LIST, problemIn } from '../kit/ask.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'
import { type ViewOptions, viewerOf } from '../kit/view-session.ts'

const ON = { console: { viewSessions: { minutes: 30 } } }
const GUESS = 'A'.repeat(43)
const SESSION_REFUSED = 'You have no open view session. Ask the operator for a new link.'
const LINK_REFUSED = 'The link is unknown, used or expired. Ask the operator for a new one.'

const { sandbox, gateway } = await serveSandbox([1000], ON)
const { merchant, reseller } = sandbox.logins
const viewer = await viewerOf(gateway, ON)

/** Expects the problem of a refused session or link. */
function expectRefused(answer: Answer, detail: string): void {
  expect(answer.status).toBe(401)
  expect(problemIn(answer)).toMatchObject({ code: 'session-refused', detail })
  expect(answer.headers['set-cookie']).toBeUndefined()
}

/** Expects that the page learns nothing but that it has no session, without an error. */
async function expectNoSession(options: ViewOptions = {}): Promise<void> {
  const { status, text, headers } = await viewer.request('GET', '', options)
  expect([status, text, headers['set-cookie']]).toEqual([204, '', undefined])
}

const begin = async (link: string, options: ViewOptions = {}) => {
  return await viewer.request('POST', '', { body: { link }, ...options })
}

/** Runs a statement on the store, as a process beside the gateway. */
function changeStore(sql: string, ...values: readonly (string | number)[]): void {
  const database = new DatabaseSync(join(sandbox.dataDir, 'store.sqlite'))
  database.prepare(sql).run(...values)
  database.close()
}

function expireNow(sessionId: string): void {
  const sql = 'UPDATE view_sessions SET expires_at = ? WHERE session_id = ?'
  changeStore(sql, Date.now(), sessionId)
}

function lineOf({ headers }: Answer): Readonly<Record<string, unknown>> | undefined {
  const requestId = headers[HEADERS.requestId.toLowerCase()]
  return gateway.lines().find((line) => line['requestId'] === requestId)
}

describe('a link', () => {
  test('begins a session of its login, which the page can read and end', async () => {
    const { sessionId, token } = await viewer.link(merchant.login)
    const begun = await begin(token)
    expect(begun.status).toBe(204)
    expect(begun.headers).not.toHaveProperty('content-length')
    const [cookie = ''] = begun.headers['set-cookie'] ?? []
    expect(cookie).toMatch(
      /^counterfoil=[\w-]{43}; Path=\/; Max-Age=1800; HttpOnly; SameSite=Strict$/,
    )
    const [own = ''] = cookie.split(';')
    const described = await viewer.request('GET', '', { cookie: own })
    const content = { login: merchant.login, role: 'merchant', expiresAt: expect.any(String) }
    expect(JSON.parse(described.text)).toEqual(content)
    expect(Date.parse(JSON.parse(described.text).expiresAt)).toBeGreaterThan(
      Date.now() + 29 * 60_000,
    )

    const ended = await viewer.request('DELETE', '', { cookie: own })
    expect(ended.status).toBe(204)
    expect(ended.headers['set-cookie']).toEqual([
      expect.stringMatching(/^counterfoil=; .*Max-Age=0;/),
    ])
    await expectNoSession({ cookie: own })
    for (const answer of [begun, described, ended]) {
      expect(lineOf(answer)).toMatchObject({ login: merchant.login, viewSession: sessionId })
    }
  })

  test('works once, and a guessed, expired or ended one is refused in the same words', async () => {
    const { token } = await viewer.link(merchant.login)
    expect((await begin(token)).status).toBe(204)
    expectRefused(await begin(token), LINK_REFUSED)
    expectRefused(await begin(GUESS), LINK_REFUSED)
    const expired = await viewer.link(merchant.login)
    expireNow(expired.sessionId)
    expectRefused(await begin(expired.token), LINK_REFUSED)
    const ended = await viewer.link(merchant.login)
    changeStore('DELETE FROM view_sessions WHERE session_id = ?', ended.sessionId)
    expectRefused(await begin(ended.token), LINK_REFUSED)
  })

  test.each([{}, { link: 7 }, { link: 'short' }, { link: `${GUESS} ` }, { link: GUESS, x: 1 }, []])(
    '%j is malformed',
    async (body) => {
      const problem = problemIn(await viewer.request('POST', '', { body }))
      expect(problem).toMatchObject({ code: 'invalid-field', errors: [{ pointer: '/link' }] })
    },
  )

  test('stays unused by refused requests, which add nothing to the store', async () => {
    const { token } = await viewer.link(merchant.login)
    const store = openSqliteStore(join(sandbox.dataDir, 'store.sqlite'))
    const before = await store.viewSessions.list(new Date())
    const body = JSON.stringify({ link: token })
    const form = `link=${token}`
    const hostile: readonly [number, string, ViewOptions][] = [
      [403, 'cross-site-request', { headers: { Origin: 'https://evil.example.com' } }],
      [403, 'cross-site-request', { headers: { Origin: 'null', 'Sec-Fetch-Site': undefined } }],
      [403, 'cross-site-request', { headers: { 'Sec-Fetch-Site': 'same-site' } }],
      [403, 'cross-site-request', { headers: { Origin: undefined, 'Sec-Fetch-Site': undefined } }],
      [415, 'unsupported-media-type', { headers: { 'Content-Type': 'text/plain' } }],
      [
        415,
        'unsupported-media-type',
        { body: form, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      ],
      [400, 'malformed-json', { body: form }],
      [400, 'malformed-json', { body: '' }],
      [413, 'body-too-large', { body: body + ' '.repeat(1024) }],
      [431, 'headers-too-large', { cookie: `counterfoil=${'x'.repeat(16_384)}` }],
    ]
    for (const [status, code, options] of hostile) {
      const answer = await begin(token, { body, ...options })
      expect([answer.status, problemIn(answer).code]).toEqual([status, code])
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    for (let guess = 0; guess < 50; guess += 1)
      await begin(hashViewToken(String(guess)).slice(0, 43))
    expect(await store.viewSessions.list(new Date())).toEqual(before)
    await store.close()
    expect((await begin(token)).status).toBe(204)
  })
})

describe('a view session', () => {
  test('gets the catalogue, the reports and the runs that a signature of its login gets', async () => {
    const { sessionId, cookie } = await viewer.begin(merchant.login)
    const { cookie: other } = await viewer.begin(reseller.login)
    const signed = await ask(gateway, merchant, LIST)
    const report = await viewer.request('POST', '/reports', { cookie, body: LIST })
    expect(report.text).toBe(signed.text)
    expect(report.trailers).toEqual(signed.trailers)
    const foreign = await viewer.request('POST', '/reports', { cookie: other, body: LIST })
    expect(foreign.text).toBe((await ask(gateway, reseller, LIST)).text)
    expect(foreign.text).not.toBe(report.text)

    const runId = String(report.headers[HEADERS.requestId.toLowerCase()])
    const record = await viewer.request('GET', `/reports/runs/${runId}`, { cookie })
    const run: Run = JSON.parse(record.text)
    expect(run).toMatchObject({ runId, login: merchant.login, viewSession: sessionId })
    const bySignature = await ask(
      { ...gateway, reportUrl: `${gateway.reportUrl}/runs/${runId}` },
      merchant,
      '{}',
    )
    expect(bySignature.text).toBe(record.text)
    expect(
      problemIn(await viewer.request('GET', `/reports/runs/${runId}`, { cookie: other })),
    ).toMatchObject({ code: 'unknown-run' })
    const headers = { Accept: 'application/jose' }
    const jws = await viewer.request('POST', `/reports/runs/${runId}`, { cookie, headers })
    const [, payload = ''] = jws.text.split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(run)
    const page = await viewer.request('GET', '/reports/runs?limit=1', { cookie })
    expect(JSON.parse(page.text).runs).toEqual([run])

    const catalogue = await viewer.request('POST', '/reports/catalogue', { cookie, body: {} })
    const signedCatalogue = await ask(
      { ...gateway, reportUrl: `${gateway.reportUrl}/catalogue` },
      merchant,
      '{}',
    )
    expect(JSON.parse(catalogue.text)).toEqual(JSON.parse(signedCatalogue.text))
    for (const answer of [report, record, page, catalogue]) {
      expect(lineOf(answer)).toMatchObject({ login: merchant.login, viewSession: sessionId })
    }
    expect(lineOf(signed)).not.toHaveProperty('viewSession')
  })

  test.each(['', '/reports', '/reports/catalogue', '/reports/runs', '/reports/runs/one'])(
    'is refused at %j without its own cookie, alone, from a page of the gateway',
    async (path) => {
      const { sessionId, cookie } = await viewer.begin(merchant.login)
      const method = path === '' ? 'DELETE' : 'POST'
      const request = async (options: ViewOptions) => {
        return await viewer.request(method, path, {
          ...(path === '/reports' && { body: LIST }),
          ...options,
        })
      }
      for (const hostile of [
        {},
        { cookie: `counterfoil=${GUESS}` },
        { cookie: `${cookie}; counterfoil=${GUESS}` },
        { cookie: `${cookie}; ${cookie}` },
        { cookie: `__Host-${cookie}` },
        { cookie: cookie.slice(0, -1) },
        { headers: { Authorization: cookie.replace('counterfoil=', 'Bearer ') } },
      ]) {
        expectRefused(await request(hostile), SESSION_REFUSED)
      }
      for (const headers of [
        { Origin: 'https://evil.example.com' },
        { 'Sec-Fetch-Site': 'cross-site' },
        { Origin: undefined, 'Sec-Fetch-Site': undefined },
      ]) {
        const answer = await request({ cookie, headers })
        expect([answer.status, problemIn(answer).code]).toEqual([403, 'cross-site-request'])
      }
      expireNow(sessionId)
      expectRefused(await request({ cookie }), SESSION_REFUSED)
    },
  )

  test('ends when the operator revokes the last key of its login, and follows the login before', async () => {
    const own = await sandbox.addLogin('accountant', 'merchant', ['1'])
    const { cookie } = await viewer.begin(own.login)
    const sees = async () => (await viewer.request('POST', '/reports', { cookie, body: LIST })).text
    const before = await sees()
    changeStore(`UPDATE logins SET sees = '["5"]' WHERE login = ?`, own.login)
    expect(await sees()).not.toBe(before)
    const store = openSqliteStore(join(sandbox.dataDir, 'store.sqlite'))
    const [key] = await store.listKeys(own.login)
    await store.revokeKey(key?.keyId ?? '', new Date())
    await store.close()
    await expectNoSession({ cookie })
    const report = await viewer.request('POST', '/reports', { cookie, body: LIST })
    expectRefused(report, SESSION_REFUSED)
  })

  test('is asked for without an error by a page that has none, and not by other sites', async () => {
    await expectNoSession()
    await expectNoSession({ cookie: `counterfoil=${GUESS}` })
    const headers = { Origin: 'https://evil.example.com', 'Sec-Fetch-Site': 'cross-site' }
    const answer = await viewer.request('GET', '', { headers })
    expect([answer.status, problemIn(answer).code]).toEqual([403, 'cross-site-request'])
  })

  test('is no credential of the signed paths, and has no path for payments', async () => {
    const { cookie } = await viewer.begin(merchant.login)
    const signed = await ask(gateway, merchant, LIST, {
      headers: { Authorization: undefined, Cookie: cookie },
    })
    expect(signed.text).toMatch(/^You are not authorised/)
    for (const path of ['/transfer/1', '/api/v4/transfer/1', '/reports/transfer']) {
      const answer = await viewer.request('POST', path, { cookie, body: {} })
      expect(problemIn(answer)).toMatchObject({ code: 'not-found' })
    }
  })

  test('is not offered to pages of other origins', async () => {
    const { cookie } = await viewer.begin(merchant.login)
    const headers = { Origin: 'https://evil.example.com', 'Access-Control-Request-Method': 'POST' }
    for (const path of ['', '/reports']) {
      const preflight = await viewer.request('OPTIONS', path, { headers })
      expect(preflight.status).toBe(405)
      const answer = await viewer.request('GET', '/reports/runs', { cookie })
      for (const name of [...Object.keys(preflight.headers), ...Object.keys(answer.headers)]) {
        expect(name).not.toMatch(/^access-control-/)
      }
    }
  })
})
