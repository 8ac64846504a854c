// How the client proves a report without trailers: by the manifest of the run, or not at all.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { ConnectionOptions, Run } from '../src/index.ts'
import {
  connect,
  CSV,
  CSV_ROWS,
  type Handler,
  refuse,
  RUN,
  sendAnswer,
  sendRecords,
  sendReport,
  startGateway,
  folder,
  useFolder,
} from './fixture-gateway.ts'

useFolder()

const withoutTrailers: Handler = (response) => {
  sendReport(response, CSV, { digest: undefined, rows: undefined })
}

/** The answer of a gateway that has no such path. */
const NOT_FOUND = { type: 'x', title: 'x', code: 'not-found', detail: 'x', requestId: 'x' }
const notFound: Handler = (response) => {
  response.writeHead(404, { 'Content-Type': 'application/problem+json' })
  response.end(JSON.stringify({ ...NOT_FOUND, status: 404 }))
}

const runOf = (change: object): Handler => {
  return (response) => sendAnswer(response, 200, { ...RUN, ...change })
}

const TRANSPORTS: readonly (readonly [string, ConnectionOptions])[] = [
  ['node:http', {}],
  ['fetch', { fetch: globalThis.fetch }],
]

describe.each(TRANSPORTS)('over %s', (name, options) => {
  test('proves a report without trailers by its manifest', async () => {
    const gateway = await startGateway(withoutTrailers, undefined, sendRecords)
    const client = connect(gateway, options)
    const file = join(folder, 'may.csv')
    const saved = await client.download('transactions-list', {}, file)
    expect(saved).toMatchObject({ proof: 'manifest', rows: CSV_ROWS, runId: 'request-1' })
    expect(await readFile(file, 'utf8')).toBe(CSV)
    expect(gateway.received.map(({ path }) => path.split('/rpt-engine')[1])).toEqual([
      '',
      '/runs/request-1',
    ])
  })

  test('waits for a manifest that the gateway has not written yet', {
    tags: ['long'],
  }, async () => {
    let asked = 0
    const gateway = await startGateway(withoutTrailers, undefined, (response, received) => {
      asked += 1
      if (asked === 3) return sendRecords(response, received)
      response.writeHead(404, { 'Content-Type': 'application/problem+json' })
      response.end(JSON.stringify({ ...NOT_FOUND, code: 'unknown-run', status: 404 }))
    })
    const { body, completed } = await connect(gateway, options).report('transactions-list')
    expect(await text(body)).toBe(CSV)
    expect(await completed).toMatchObject({ proof: 'manifest' })
  })

  test.each<[string, Partial<Run> | object, object]>([
    [
      'of another digest',
      { file: { ...RUN.file, sha256: `${'A'.repeat(43)}=` } },
      { code: 'digest-mismatch', of: 'sha256' },
    ],
    ['of more rows', { file: { ...RUN.file, rows: 4 } }, { code: 'digest-mismatch', of: 'rows' }],
    ['of a run that was aborted', { outcome: 'aborted', file: undefined }, { code: 'truncated' }],
    ['of a run that was cut', { outcome: 'cut' }, { code: 'truncated', reason: 'unproved' }],
    ['without a file', { file: undefined }, { code: 'truncated', reason: 'unproved' }],
    [
      'with a malformed digest',
      { file: { ...RUN.file, sha256: 'x' } },
      { code: 'unexpected-body' },
    ],
  ])('saves no report with a manifest %s', async (_, change, expected) => {
    const client = connect(await startGateway(withoutTrailers, undefined, runOf(change)), options)
    const saving = client.download('transactions-list', {}, join(folder, 'may.csv'))
    await expect(saving).rejects.toMatchObject(expected)
    expect(await readdir(folder)).toEqual([])
  })

  test('fails if the manifest cannot be had', async () => {
    const gateway = await startGateway(withoutTrailers, undefined, (response) => {
      response.destroy()
    })
    const { body } = await connect(gateway, options).report('transactions-list')
    await expect(text(body)).rejects.toMatchObject({ code: 'network-error' })
  })

  test('sees a missing proof if the gateway announced one, unless the transport hides it', async () => {
    const gateway = await startGateway(withoutTrailers, undefined, notFound)
    const { body, completed } = await connect(gateway, options).report('transactions-list')
    const arrived = await text(body).catch((error: unknown) => error)
    const outcome = await completed.catch((error: unknown) => error)
    const fault = expect.objectContaining({ code: 'truncated', reason: 'unproved' })
    const unproved = expect.objectContaining({ proof: 'none', rows: CSV_ROWS })
    expect([arrived, outcome]).toEqual(name === 'fetch' ? [CSV, unproved] : [fault, fault])
  })

  describe('a bare gateway, which sends only what the specification says', () => {
    const CONTENT_TYPES = ['text/csv', 'application/octet-stream', 'text/plain', undefined]

    test.each(CONTENT_TYPES)(
      'saves a report of type %s, and says that it has no proof',
      async (type) => {
        const gateway = await startGateway(bare(CSV, type))
        const file = join(folder, 'may.csv')
        const saved = await connect(gateway, options).download('transactions-list', {}, file)
        expect(saved).toMatchObject({
          proof: 'none',
          rows: CSV_ROWS,
          bytes: Buffer.byteLength(CSV),
          runId: undefined,
          newestRow: undefined,
        })
        expect(await readFile(file, 'utf8')).toBe(CSV)
      },
    )

    test.each(['application/pdf', undefined])('saves a PDF of type %s', async (type) => {
      const client = connect(await startGateway(bare('%PDF-1.7\n', type)), options)
      const saved = await client.download('x', { format: 'PDF' }, join(folder, 'may.pdf'))
      expect(saved).toMatchObject({ proof: 'none', rows: undefined })
    })

    test('recognises a refusal with status 200 of any type', async () => {
      for (const type of ['text/plain', 'text/csv', 'application/octet-stream', undefined]) {
        const gateway = await startGateway(bare('You are not authorised to do this.', type))
        await expect(connect(gateway, options).report('x')).rejects.toMatchObject({
          code: 'not-authorised',
          refusal: 'You are not authorised to do this.',
        })
      }
    })

    test('saves no CSV that ends inside a quoted field, and nothing if a proof is required', async () => {
      const gateway = await startGateway(bare(CSV.slice(0, 20), 'text/csv'))
      const target = join(folder, 'may.csv')
      const saving = connect(gateway, options).download('x', {}, target)
      await expect(saving).rejects.toMatchObject({
        code: 'truncated',
        message: expect.stringContaining('ends inside a quoted field'),
      })
      const whole = await startGateway(bare(CSV, 'text/csv'))
      const strict = connect(whole, { ...options, requireProof: true }).download('x', {}, target)
      await expect(strict).rejects.toMatchObject({ code: 'truncated', reason: 'unproved' })
      expect(await readdir(folder)).toEqual([])
    })

    test('says that it has neither catalogue nor runs', async () => {
      const client = connect(await startGateway(() => {}), options)
      const missing = { code: 'unexpected-body', status: 404 }
      await expect(client.catalogue()).rejects.toMatchObject(missing)
      await expect(client.runs()).rejects.toMatchObject(missing)
      await expect(client.manifest('1')).rejects.toMatchObject(missing)
    })
  })
})

/** Answers with a body alone. */
function bare(body: string, contentType: string | undefined): Handler {
  return (response) => {
    response.removeHeader('Counterfoil-Request-Id')
    if (contentType !== undefined) response.setHeader('Content-Type', contentType)
    response.write(body.slice(0, 3))
    response.end(body.slice(3))
  }
}

test('compares the rows alone if fetch decompressed the report', async () => {
  let rows = CSV_ROWS
  const compressed: Handler = (response) => {
    response.setHeader('Content-Encoding', 'gzip')
    response.setHeader('Content-Disposition', 'attachment; filename="x.csv"')
    response.writeHead(200, { 'Content-Type': 'text/csv' }).end(gzipSync(CSV))
  }
  const client = connect(
    await startGateway(compressed, undefined, (response) => {
      sendAnswer(response, 200, {
        ...RUN,
        file: { ...RUN.file, sha256: `${'A'.repeat(43)}=`, rows },
      })
    }),
    { fetch: globalThis.fetch },
  )
  const { completed, body } = await client.report('x')
  expect(await text(body)).toBe(CSV)
  expect(await completed).toMatchObject({ proof: 'rows', rows: CSV_ROWS })
  rows = 4
  const other = await client.report('x')
  await expect(text(other.body)).rejects.toMatchObject({ code: 'digest-mismatch', of: 'rows' })
})

test('saves no decompressed report without rows to count if a proof is required', async () => {
  const compressed: Handler = (response) => {
    response.setHeader('Content-Encoding', 'gzip')
    response.setHeader('Content-Disposition', 'attachment; filename="x.pdf"')
    response.writeHead(200, { 'Content-Type': 'application/pdf' }).end(gzipSync('%PDF-1.7\n'))
  }
  const gateway = await startGateway(compressed, undefined, sendRecords)
  const options = { fetch: globalThis.fetch }
  const target = join(folder, 'may.pdf')
  const strict = connect(gateway, { ...options, requireProof: true }).download('x', {}, target)
  await expect(strict).rejects.toMatchObject({ code: 'truncated', reason: 'unproved' })
  expect(await readdir(folder)).toEqual([])
  const saved = await connect(gateway, options).download('x', {}, target)
  expect(saved).toMatchObject({ proof: 'none', rows: CSV_ROWS })
})

test("recognises a proxy's refusal of the login, and a page with another status", async () => {
  let status = 401
  const client = connect(
    await startGateway((response) => {
      response.writeHead(status, { 'Content-Type': 'text/html' }).end('<h1>Forbidden</h1>')
    }),
  )
  for (status of [401, 403]) {
    const expected = { code: 'not-authorised', refusal: undefined, requestId: 'request-1' }
    await expect(client.report('x')).rejects.toMatchObject(expected)
  }
  status = 500
  await expect(client.report('x')).rejects.toMatchObject({ code: 'unexpected-body', status })
})

test('signs requests for the catalogue and runs, and passes on what it got', async () => {
  const gateway = await startGateway(() => {}, undefined, sendRecords)
  const client = connect(gateway)
  expect((await client.catalogue()).reports[0]?.columns[0]?.kind).toBe('id')
  const options = { limit: 10, before: 'x', reportIdentifier: 'y' }
  expect(await client.runs(options)).toEqual({ runs: [RUN] })
  await expect(client.manifest('a/b')).rejects.toMatchObject({ code: 'unexpected-body' })
  expect(await client.manifest(RUN.runId)).toEqual(RUN)
  expect(await client.signedManifest('1')).toBe('aGVhZA.Ym9keQ.c2ln')
  const below = '/ui/services/v2/rpt-engine'
  expect(gateway.received).toMatchObject([
    { path: `${below}/catalogue`, request: {} },
    { path: `${below}/runs`, request: options },
    { path: `${below}/runs/a%2Fb`, request: {} },
    { path: `${below}/runs/request-1`, request: {} },
    { path: `${below}/runs/1`, request: {} },
  ])
})

test('refuses a certificate beside fetch', async () => {
  const gateway = await startGateway((response) => refuse(response, ''))
  const options = { ca: 'x', fetch: globalThis.fetch }
  expect(() => connect(gateway, options)).toThrow(/^ca: /)
})
