import { createHash, randomUUID } from 'node:crypto'
import { type ControlTotal, HEADERS, type Run, type RunPage } from '@counterfoil/protocol'
import { parse } from 'csv-parse/sync'
import { compactVerify, createLocalJWKSet } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { openStore } from '../../../store/src/store/open-store.ts'
import { type AskOptions, ask, LIST, open, parameters, problemIn } from '../kit/ask.ts'
import { serve } from '../kit/running-gateway.ts'
import { type Login, makeSandbox } from '../kit/sandbox.ts'

const OCTOBER = { dateFrom: '2026-10-01', dateTo: '2026-11-01', timezone: 'Europe/Riga' }
const OF_OCTOBER = {
  ...LIST,
  reportName: 'october',
  ...parameters(OCTOBER, { controlTotals: 'on' }),
}

const FILES = ['transactions-list.yaml', 'payouts-transfers.yaml', 'order-reconciliation.yaml']

const sandbox = await makeSandbox(6000, FILES)
let gateway = await serve(sandbox)
afterAll(async () => {
  await gateway.close()
  sandbox.remove()
})

/** Requests a report, and returns its id and the answer. */
async function run(login: Login, request: object = OF_OCTOBER, options: AskOptions = {}) {
  const answer = await ask(gateway, login, request, options)
  return { answer, runId: String(answer.headers[HEADERS.requestId.toLowerCase()]) }
}

/** Reads something of the runs' path as a login. */
async function read(login: Login, path: string, options: AskOptions = {}) {
  const reportUrl = `${gateway.reportUrl}/runs${path}`
  const method = options.method ?? 'GET'
  const body = method === 'GET' ? '' : '{}'
  return await ask({ sandbox, reportUrl }, login, body, { ...options, method })
}

/** Reads the record of a run. */
async function manifest(login: Login, runId: string, options: AskOptions = {}): Promise<Run> {
  const answer = await read(login, `/${runId}`, options)
  expect(answer.status).toBe(200)
  return JSON.parse(answer.text)
}

/** Sums the amounts of a CSV file by currency. */
function sumsOf(csv: string): readonly ControlTotal[] {
  const rows: Record<string, string>[] = parse(csv, { columns: true })
  const sums = new Map<string, { amounts: number; thousandths: bigint }>()
  for (const { Currency = '', Amount = '' } of rows) {
    const { amounts, thousandths } = sums.get(Currency) ?? { amounts: 0, thousandths: 0n }
    const amount = BigInt(Amount.replace('.', ''))
    sums.set(Currency, { amounts: amounts + 1, thousandths: thousandths + amount })
  }
  return [...sums]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, { amounts, thousandths }]) => {
      const sum = String(thousandths).replace(/(\d{3})$/, '.$1')
      return { column: 'Amount', currency, amounts, sum }
    })
}

describe('the record of a complete run', () => {
  test('is the manifest of its file', async () => {
    const { merchant } = sandbox.logins
    const { answer, runId } = await run(merchant)
    const record = await manifest(merchant, runId)
    expect(record).toMatchObject({
      runId,
      login: merchant.login,
      reportIdentifier: 'transactions-list',
      reportName: 'october',
      outcome: 'complete',
      request: { ...OF_OCTOBER, reportFormat: 'CSV', reportEncode: 'UTF-8' },
      timezone: 'Europe/Riga',
      parameters: {
        dateFrom: '2026-09-30 21:00:00.000',
        dateTo: '2026-10-31 22:00:00.000',
        dateAxis: 'created',
      },
      scope: { role: 'merchant', sees: ['1', '5'] },
      file: {
        name: 'october_2026-10-01_2026-10-31.csv',
        contentType: 'text/csv; charset=UTF-8',
        rows: Number(answer.trailers[HEADERS.rows.toLowerCase()]),
        bytes: answer.bytes.length,
        replaced: 0,
        sha256: createHash('sha256').update(answer.bytes).digest('base64'),
      },
      schemaHash: expect.stringMatching(/^[0-9a-f]{16}$/),
      newestRow: answer.headers[HEADERS.newestRow.toLowerCase()],
    })
    expect(record.controlTotals?.length).toBeGreaterThan(1)
    expect(record.controlTotals).toEqual(sumsOf(answer.text))
    const { startedAt, endedAt, durationMs } = record
    expect(Date.parse(endedAt) - Date.parse(startedAt)).toBe(durationMs)
    expect(await manifest(merchant, runId, { method: 'POST' })).toEqual(record)
  })

  test.each(['XLSX', 'PDF', 'JSONL', 'PARQUET'])(
    'of %s has the same totals as of CSV',
    { tags: ['long'] },
    async (reportFormat) => {
      const { merchant } = sandbox.logins
      const csv = await run(merchant)
      const other = await run(merchant, { ...OF_OCTOBER, reportFormat })
      const { controlTotals, file } = await manifest(merchant, other.runId)
      expect(controlTotals).toEqual(sumsOf(csv.answer.text))
      expect(file?.bytes).toBe(other.answer.bytes.length)
    },
  )

  test('describes the bytes in their content coding', async () => {
    const { merchant } = sandbox.logins
    const headers = { 'Accept-Encoding': 'gzip' }
    const { answer, runId } = await run(merchant, OF_OCTOBER, { headers })
    const { file } = await manifest(merchant, runId)
    const sha256 = createHash('sha256').update(answer.bytes).digest('base64')
    expect(file).toMatchObject({ contentCoding: 'gzip', bytes: answer.bytes.length, sha256 })
  })

  test('can be had signed, and checked with the public key alone', async () => {
    const { merchant } = sandbox.logins
    const { runId } = await run(merchant)
    const headers = { Accept: 'application/jose' }
    const answer = await read(merchant, `/${runId}`, { headers })
    expect(answer.headers['content-type']).toBe('application/jose')
    const discovery = await fetch(new URL('/.well-known/counterfoil', gateway.reportUrl))
    const { jwksUrl }: Record<string, string> = Object(await discovery.json())
    const keys = createLocalJWKSet(Object(await (await fetch(String(jwksUrl))).json()))
    const { payload, protectedHeader } = await compactVerify(answer.text, keys)
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', kid: expect.any(String) })
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual(await manifest(merchant, runId))
    const [head, , signature] = answer.text.split('.')
    const forged = Buffer.from('{"outcome":"complete"}').toString('base64url')
    await expect(compactVerify(`${head}.${forged}.${signature}`, keys)).rejects.toThrow('signature')
  })

  test('lacks a request that is very long', async () => {
    const { merchant } = sandbox.logins
    const long = {
      ...OF_OCTOBER,
      filters: { merchants: Array<string>(10_000).fill('1') },
    }
    const { runId } = await run(merchant, long)
    const record = await manifest(merchant, runId)
    expect(record).toMatchObject({ outcome: 'complete' })
    expect(record).not.toHaveProperty('request')
    expect(record).not.toHaveProperty('parameters')
  })

  test('holds no card number that the caller sends', async () => {
    const { merchant } = sandbox.logins
    const { runId } = await run(merchant, { ...OF_OCTOBER, reportName: '4111 1111 1111 1111' })
    const record = await manifest(merchant, runId)
    expect(record).toMatchObject({ outcome: 'complete', reportName: '[masked]' })
    expect(record.file?.name).toBe('[masked]_2026-10-01_2026-10-31.csv')
    expect(JSON.stringify(record)).not.toMatch(/4111/)
    expect(record).not.toHaveProperty('request')
  })
})

test('the record of a run whose caller left says so, and names no file', async () => {
  const { operator } = sandbox.logins
  const answer = await open(gateway, operator, {
    reportIdentifier: 'wide-rows',
    ...parameters({ width: '100000' }),
  })
  const runId = String(answer.headers[HEADERS.requestId.toLowerCase()])
  answer.destroy()
  const record = await manifest(operator, runId)
  expect(record).toMatchObject({ runId, outcome: 'aborted' })
  expect(record).not.toHaveProperty('file')
  expect(record).not.toHaveProperty('controlTotals')
})

test('a request that is refused is no run', async () => {
  const { merchant } = sandbox.logins
  const { answer, runId } = await run(merchant, { reportIdentifier: 'no-such-report' })
  expect(answer.status).toBe(422)
  expect(problemIn(await read(merchant, `/${runId}`))).toMatchObject({ code: 'unknown-run' })
})

test('a login reads its own runs only, and an operator all', async () => {
  const { merchant, reseller, operator } = sandbox.logins
  const { runId } = await run(merchant)
  const foreign = problemIn(await read(reseller, `/${runId}`))
  const unknown = problemIn(await read(reseller, '/no-such-run'))
  expect(foreign.code).toBe('unknown-run')
  expect({ ...foreign, requestId: '' }).toEqual({ ...unknown, requestId: '' })
  expect(await manifest(operator, runId)).toMatchObject({ runId, login: merchant.login })
  const idsOf = async (login: Login): Promise<readonly string[]> => {
    const { runs }: { runs: readonly Run[] } = JSON.parse((await read(login, '')).text)
    return runs.map((each) => each.runId)
  }
  expect(await idsOf(merchant)).toContain(runId)
  expect(await idsOf(operator)).toContain(runId)
  expect(await idsOf(reseller)).not.toContain(runId)
})

test('lists the newest runs first, in pages, and those of one report', async () => {
  const { manager } = sandbox.logins
  const ids: string[] = []
  for (const reportIdentifier of ['transactions-list', 'payouts-transfers', 'transactions-list']) {
    const { runId } = await run(manager, { reportIdentifier })
    await manifest(manager, runId)
    ids.unshift(runId)
  }
  const list = async (query: string) => JSON.parse((await read(manager, '', { query })).text)
  const first = await list('?limit=2')
  expect(first.next).toBe(ids[1])
  expect(first.runs.map((each: Run) => each.runId)).toEqual(ids.slice(0, 2))
  const second = await list(`?limit=2&before=${first.next}`)
  expect(second.runs.map((each: Run) => each.runId)).toEqual(ids.slice(2))
  expect(second).not.toHaveProperty('next')
  const filtered = await list('?reportIdentifier=payouts-transfers')
  expect(filtered.runs.map((each: Run) => each.runId)).toEqual([ids[1]])
})

test('ends a page of long records early', async () => {
  const { merchant } = sandbox.logins
  const filters = { merchants: Array<string>(790).fill('1') }
  const first = await run(merchant, { reportIdentifier: 'payouts-transfers', filters })
  await manifest(merchant, first.runId)
  const store = await openStore(loadConfig(await sandbox.writeConfig()))
  const known = await store.runs.find(first.runId)
  if (!known) throw new Error('expected the store to have the record')
  const count = Math.ceil((2 * LIMITS.runPageBytesMax) / known.record.length)
  const copies = Array.from({ length: count }, () => {
    const runId = randomUUID()
    return { ...known, runId, record: known.record.replaceAll(known.runId, runId) }
  })
  await store.runs.add(copies)
  await store.close()
  const ids = copies.map((copy) => copy.runId).toReversed()
  const seen: string[] = []
  let pages = 0
  for (let query = '?limit=1000'; query !== ''; pages += 1) {
    const { text } = await read(merchant, '', { query })
    expect(Buffer.byteLength(text)).toBeLessThan(LIMITS.runPageBytesMax + 1_000)
    const { runs, next }: RunPage = JSON.parse(text)
    seen.push(...runs.map(({ runId }) => runId))
    query = next === undefined ? '' : `?limit=1000&before=${next}`
  }
  expect(pages).toBeGreaterThan(1)
  expect(seen.slice(0, ids.length)).toEqual(ids)
  expect(new Set(seen).size).toBe(seen.length)
})

test('lists no runs before a run of another login, or of nobody', async () => {
  const { merchant, manager, operator } = sandbox.logins
  const { runId } = await run(merchant)
  await manifest(merchant, runId)
  const query = `?before=${runId}`
  const foreign = problemIn(await read(manager, '', { query }))
  const unknown = problemIn(await read(manager, '', { query: '?before=no-such-run' }))
  expect(foreign).toMatchObject({ code: 'invalid-field', errors: [{ pointer: '/before' }] })
  expect({ ...foreign, requestId: '' }).toEqual({ ...unknown, requestId: '' })
  expect((await read(operator, '', { query })).status).toBe(200)
})

test('refuses a faulty request for the list', async () => {
  const { merchant } = sandbox.logins
  const query = '?limit=0&before=%00&a/~b=red&reportIdentifier=%00'
  const { errors } = problemIn(await read(merchant, '', { query }))
  expect(errors).toEqual([
    { pointer: '/limit', expected: 'a whole number from 1 to 1000' },
    {
      pointer: '/before',
      expected: 'the "next" of an earlier answer, or the id of a run of yours',
    },
    { pointer: '/reportIdentifier', expected: 'the identifier of a report' },
    { pointer: '/a~1~0b', expected: 'one of limit, before, reportIdentifier' },
  ])
})

test.each([
  ['/runs', 'an object of limit, before, reportIdentifier'],
  ['/runs/no-such-run', 'an empty object, or no body'],
])('refuses a list as the body of %s', async (path, expected) => {
  const asked = { sandbox, reportUrl: gateway.reportUrl + path }
  const { errors } = problemIn(await ask(asked, sandbox.logins.merchant, '[5]'))
  expect(errors).toEqual([{ pointer: '', expected }])
})

test('a gateway on the same store keeps the records and the key', async () => {
  const { merchant } = sandbox.logins
  const { runId } = await run(merchant)
  const before = await manifest(merchant, runId)
  const readKeys = async () => {
    return await (await fetch(new URL('/.well-known/jwks.json', gateway.reportUrl))).json()
  }
  const keys = await readKeys()
  await gateway.close()
  gateway = await serve(sandbox)
  expect(await manifest(merchant, runId)).toEqual(before)
  expect(await readKeys()).toEqual(keys)
})
