import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { SUBJECTS } from '../src/commands/conformance.ts'
import { run, useFolder } from './fixture.ts'
import { CONTROL_KEY, type Deviation, LOGIN, startOtherGateway } from './other-gateway.ts'
import type { Ended } from './run-command.ts'

const CHECKS = SUBJECTS.flatMap(({ checks }) => checks)
const IDS = CHECKS.map(([id]) => id)
const MUSTS = CHECKS.filter(([, level]) => level === 'must').map(([id]) => id)

useFolder()

async function conform(endpoint: string, ...options: readonly string[]): Promise<Ended> {
  const env = {
    COUNTERFOIL_ENDPOINT: endpoint,
    COUNTERFOIL_LOGIN: LOGIN,
    COUNTERFOIL_CONTROL_KEY: CONTROL_KEY,
  }
  return await run(['conformance', '--report', 'list', ...options], { env })
}

/** Runs the checks, and returns the ids of those that failed. */
async function failedOf(deviation: Deviation, level?: string): Promise<readonly string[]> {
  const { stdout } = await conform(await startOtherGateway(deviation), '--json')
  const { checks } = JSON.parse(stdout)
  return checks.flatMap((check: Record<string, string>) => {
    const isAsked = level === undefined || check['level'] === level
    return isAsked && check['outcome'] === 'failed' ? [check['id']] : []
  })
}

test('a gateway of another make that follows the specification passes every must', async () => {
  const { stdout } = await conform(await startOtherGateway(), '--json')
  const { checks } = JSON.parse(stdout)
  expect(checks.map(({ id }: { id: string }) => id)).toEqual([...new Set(IDS)])
  expect(checks[0]).toMatchObject({ subject: 'Accepted signatures', outcome: 'passed' })
  expect(await failedOf({}, 'must')).toEqual([])
})

describe('finds a gateway that', { tags: ['long'] }, () => {
  const refusals = MUSTS.filter((id) => id.startsWith('refuse-'))
  const isOfRsa = (id: string) =>
    ['refuse-wrong-rsa-key', 'refuse-pss', 'refuse-rsa-sha1'].includes(id)
  const asJson = (response: ServerResponse): void => {
    response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error":"unauthorised"}')
  }
  const queries = IDS.filter((id) => id.startsWith('accept-query'))

  test.each<[string, Deviation, readonly string[]]>([
    ['ignores nonces', { ignoresNonces: true }, ['refuse-replay', 'refuse-replay-with-other-body']],
    ['signs no query', { ignoresQuery: true }, [...queries, 'refuse-added-query']],
    ['needs no ampersand', { keyWithoutAmpersand: true }, ['refuse-key-without-ampersand']],
    ['refuses in its own way', { refusal: asJson }, ['refusal-text', 'refusal-media-type']],
    ['ends rows with LF', { csv: (csv) => csv.replaceAll('\r\n', '\n') }, ['csv-line-ends']],
    ['keeps quotes', { csv: (csv) => csv.replace('""quoted""', '"quoted"') }, ['csv-quotes']],
    ['leaves a field out', { csv: (csv) => csv.replace('"EUR",', '') }, ['csv-field-count']],
    ['leaves the header row out', { csv: (csv) => csv.replace(/^.*\r\n/, '') }, ['csv-header']],
    ['knows one delimiter', { csv: (csv) => csv.replaceAll('";"', '","') }, ['csv-delimiter']],
    [
      'accepts everything',
      { acceptsAll: true },
      [
        ...refusals.filter((id) => !isOfRsa(id) && id !== 'refuse-get'),
        'refusal-text',
        'refusal-media-type',
        'refusal-no-file',
      ],
    ],
  ])('%s', async (_, deviation, expected) => {
    const failed = await failedOf(deviation, 'must')
    expect(failed.toSorted()).toEqual([...expected].toSorted())
  })

  test.each<[string, Deviation, readonly string[]]>([
    [
      'accepts every clock',
      { ignoresClock: true, ignoresNonces: true },
      ['refuse-old-timestamp', 'refuse-future-timestamp'],
    ],
    [
      'refuses encoded characters',
      { refusesEncoded: true },
      ['accept-nonce-hard', 'accept-query-reserved'],
    ],
    ['sends a wrong digest', { wrongDigest: true }, ['complete-digest']],
  ])('%s, also by what a gateway should do', async (_, deviation, expected) => {
    const usual = new Set(await failedOf({}))
    const failed = await failedOf(deviation)
    expect(expected.filter((id) => usual.has(id))).toEqual([])
    expect(failed).toEqual(expect.arrayContaining([...expected]))
  })
})

describe('ends early', () => {
  test('if the plain request gets no complete report', async () => {
    const { code, stdout } = await conform(await startOtherGateway({ cutsReports: true }))
    expect(code).toBe(1)
    expect(stdout).not.toContain('skipped   ')
    expect(stdout).toMatch(/the plain request got no report\.\n0 passed, 1 failed, \d+ skipped\.\n/)
  })

  test('if the gateway does not answer any more', async () => {
    const { code, stdout } = await conform(await startOtherGateway({ diesAfter: 5 }))
    expect(stdout).toContain('The checks ended early: the gateway does not answer any more.\n')
    expect(stdout).toMatch(/\d+ passed, 3 failed, /)
    expect(code).toBe(1)
  })

  test('with exit code 5 if there is no gateway', async () => {
    const { code, stderr } = await conform('http://127.0.0.1:1/')
    expect(stderr).toMatch(/^counterfoil: network-error: no answer from 127\.0\.0\.1:1: /)
    expect(code).toBe(5)
  })
})

test('a report fits 100 columns, and names the clause, what was sent, expected and received', async () => {
  const { stdout } = await conform(await startOtherGateway({ acceptsAll: true }))
  expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
  expect(stdout).toContain(
    [
      '  FAILED    refuse-replay                     refuses a request that is sent twice',
      '            level     must',
      '            clause    specification, OAuth parameters; RFC 5849, 3.3',
      '            sent      the same request twice',
      '            expected  a report, and then a text that begins "You are not authorised"',
      '            got       status 200, text/csv: ',
    ].join('\n'),
  )
  expect(stdout).not.toContain(CONTROL_KEY)
})

test('selects checks by their ids', async () => {
  const only = ['--only', 'refuse-replay', '--only', 'refuse-pss']
  const { stdout } = await conform(await startOtherGateway(), '--json', ...only)
  const ids = JSON.parse(stdout).checks.map(({ id }: { id: string }) => id)
  expect(ids).toEqual(['plain-request', 'refuse-pss', 'refuse-replay'])
})

test.each([
  ['http://127.0.0.1:1/', ['--only', 'refuse-repaly'], '--only: there is no check refuse-repaly'],
  ['http://127.0.0.1:1/?a=1', [], 'expected a URL without a query'],
  ['http://gateway.example/', [], 'expected https:'],
])('refuses %s with %j', async (endpoint, options, message) => {
  const { code, stderr } = await conform(endpoint, ...options)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
})
