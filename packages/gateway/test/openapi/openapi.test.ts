import { Validator } from '@seriousme/openapi-schema-validator'
import { REFUSAL_JSON_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { type AnySchema, Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { type Answer, type AskOptions, ask, read, send, signRequest } from '../kit/ask.ts'
import { FORM_TYPE, operate } from '../kit/operate.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const REPORTS = ['transactions-list.yaml', 'settlement-statement.yaml']
const OLD = '/old/services/v1/rpt-engine'
const OLD_PATH = { path: OLD, deprecatedSince: '2026-01-31', servedUntil: '2027-01-31' }
const DOCUMENT_BYTES_MAX = 128 * 1024

const { sandbox, gateway } = await serveSandbox([2000, REPORTS], {
  oldReportPaths: [OLD_PATH],
})
const { origin, pathname } = new URL(gateway.reportUrl)
const { merchant } = sandbox.logins
const published = await fetch(`${origin}/.well-known/openapi.json`)
const text = await published.text()
const document = JSON.parse(text)
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'document', ...document }).addSchema({ $id: 'closed', ...closed(document) })

/** Headers of some reports only. */
const OPTIONAL: ReadonlySet<string> = new Set(['content-encoding', 'counterfoil-synced-at'])

/** The faults of a value by a schema of the document, at a JSON pointer. */
function faultsOf(value: unknown, pointer: string, of: 'document' | 'closed' = 'document') {
  const accepts = ajv.compile({ $ref: `${of}#${pointer}` })
  return accepts(value) ? [] : [pointer, accepts.errors]
}

test('is valid OpenAPI 3.1, of a bounded size, and named by discovery', async () => {
  expect(await new Validator().validate(document)).toEqual({ valid: true })
  expect(document.openapi).toMatch(/^3\.1\./)
  expect(Buffer.byteLength(text)).toBeLessThan(DOCUMENT_BYTES_MAX)
  expect(published.headers.get('content-type')).toBe('application/json')
  const discovery = await (await fetch(`${origin}/.well-known/counterfoil`)).json()
  expect(discovery).toMatchObject({ openApiUrl: `${origin}/.well-known/openapi.json` })
})

test('every example is valid by the schema beside it', () => {
  const found = examplesIn(document, '')
  expect(found.length).toBeGreaterThan(5)
  expect(found.flatMap(({ value, schema }) => faultsOf(value, schema))).toEqual([])
})

describe('an example of a request', () => {
  const { examples } = document.paths[pathname].post.requestBody.content['application/json']

  test.each(Object.keys(examples))('for a report, %s, gets a report', async (name) => {
    const answer = await ask(gateway, merchant, examples[name].value)
    expect([answer.status, answer.text.slice(0, 3)]).not.toEqual([200, REFUSAL_PREFIX.slice(0, 3)])
    expectDescribed(answer, pathname)
    expect(missingHeaders(answer, pathname)).toEqual([])
  })

  test('for an operation is accepted', async () => {
    const catalogue = await askFor('catalogue', '{}')
    const { endpoints } = JSON.parse(catalogue.text)
    const { id } = endpoints.find(({ currency }: { currency: string }) => currency === 'EUR')
    const paths = Object.keys(document.paths).filter((path) => path.includes('{endpointId}'))
    expect(paths).toHaveLength(4)
    for (const path of paths) {
      const { example } = document.paths[path].post.requestBody.content[FORM_TYPE]
      const answer = await operate(gateway, merchant, operationOf(path, id), example)
      expect([path, answer.status, answer.text.includes('error-code')]).toEqual([path, 200, false])
      expectDescribed(answer, path)
      const faulty = await operate(gateway, merchant, operationOf(path, id), { ...example, x: '1' })
      expect(faulty.status).toBe(422)
      expectDescribed(faulty, path)
    }
  })
})

describe('a real answer is as described', () => {
  test.each([
    ['the catalogue', 'catalogue', '{}', 200],
    ['a catalogue request with a member', 'catalogue', '{"x":1}', 422],
    ['the list of runs', 'runs', '{"limit":3}', 200],
    ['a request for runs with a wrong limit', 'runs', '{"limit":0}', 422],
  ])('for %s', async (_, path, body, status) => {
    await ask(gateway, merchant)
    const answer = await askFor(path, body)
    expect(answer.status).toBe(status)
    expectDescribed(answer, `${pathname}/${path}`)
  })

  test('for one run, as JSON and signed, and for an unknown run', async () => {
    const report = await ask(gateway, merchant)
    const runId = String(report.headers['counterfoil-request-id'])
    const path = `${pathname}/runs/{runId}`
    const run = await askFor(`runs/${runId}`, '', {})
    expect(JSON.parse(run.text)).toMatchObject({ runId, outcome: 'complete' })
    expectDescribed(run, path)
    const signed = await askFor(`runs/${runId}`, '', { Accept: 'application/jose' })
    expect(signed.headers['content-type']).toBe('application/jose')
    expectDescribed(signed, path)
    expectDescribed(await askFor('runs/unknown', '', {}), path)
  })

  test('for an old path', async () => {
    const answer = await ask({ sandbox, reportUrl: origin + OLD }, merchant)
    expect(document.paths[OLD].post.deprecated).toBe(true)
    expectDescribed(answer, OLD)
    expect(missingHeaders(answer, OLD)).toEqual([])
  })

  test('for a refused caller, as text and as JSON, on each signed path', async () => {
    for (const path of [pathname, `${pathname}/catalogue`, `${pathname}/runs`]) {
      const refused = async (options: AskOptions) => {
        const answer = await ask({ sandbox, reportUrl: origin + path }, merchant, '{}', options)
        expectDescribed(answer, path)
        return answer.text
      }
      expect(await refused({ login: 'nobody' })).toMatch(new RegExp(`^${REFUSAL_PREFIX}`))
      const headers = { Accept: REFUSAL_JSON_MEDIA_TYPE }
      const late = await refused({ headers, signing: { timestampSeconds: 1 } })
      expect(JSON.parse(late)).toMatchObject({ step: 'timestamp' })
      const forged = await refused({ headers, sentQuery: '?a=1' })
      expect(JSON.parse(forged)).toMatchObject({ step: 'signature', mistake: {} })
    }
  })

  test.each([
    ['a faulty request', '{"reportIdentifier":"transactions-list","x":1}', {}, 'invalid-field'],
    ['an unknown report', '{"reportIdentifier":"x"}', {}, 'unknown-report'],
    ['a body that is not JSON', '{', {}, 'malformed-json'],
    ['another media type', '{}', { contentType: 'text/csv' }, 'unsupported-media-type'],
    ['another method', '', { method: 'DELETE' }, 'method-not-allowed'],
  ])('for %s', async (_, body, options, code) => {
    const answer = await ask(gateway, merchant, body, options)
    expect(JSON.parse(answer.text)).toMatchObject({ code })
    expectDescribed(answer, pathname)
  })

  test.each([
    '/.well-known/counterfoil',
    '/.well-known/jwks.json',
    '/.well-known/openapi.json',
    '/livez',
    '/readyz',
  ])('for %s', async (path) => {
    const request = { url: origin + path, method: 'GET', headers: {}, body: Buffer.alloc(0) }
    const answer = await read(await send(request))
    expect(answer.status).toBe(200)
    expectDescribed(answer, path, 'get')
  })
})

async function askFor(
  path: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const asked = { sandbox, reportUrl: `${gateway.reportUrl}/${path}` }
  const request = await signRequest(asked, merchant, body, { headers })
  return await read(await send(request))
}

function operationOf(path: string, endpointId: string): string {
  return path.replace('/gate/api/', '').replace('{endpointId}', endpointId)
}

/** Expects the status, the media type and the content of an answer as the document describes them, and no other member. */
function expectDescribed(answer: Answer, path: string, method = 'post'): void {
  const { status, headers } = answer
  const [mediaType = ''] = String(headers['content-type']).split(';')
  const { responses } = document.paths[path][method]
  const key = status in responses ? status : 'default'
  const response = resolved(responses[key])
  expect([path, status, Object.keys(response.content ?? {})]).toEqual([
    path,
    status,
    expect.arrayContaining([mediaType]),
  ])
  const isJson = mediaType.endsWith('json') && !mediaType.endsWith('ndjson')
  const value: unknown = isJson ? JSON.parse(answer.text) : answer.text
  const at = responses[key].$ref?.slice(1) ?? `/paths/${escaped(path)}/${method}/responses/${key}`
  expect(faultsOf(value, `${at}/content/${escaped(mediaType)}/schema`, 'closed')).toEqual([])
}

/** The headers and trailers of a described report that an answer lacks. The compression is optional. */
function missingHeaders({ headers, trailers }: Answer, path: string): readonly string[] {
  const { headers: described } = document.paths[path].post.responses[200]
  return Object.keys(described)
    .map((name) => name.toLowerCase())
    .filter((name) => !(name in headers) && !(name in trailers) && !OPTIONAL.has(name))
}

interface Example {
  readonly value: unknown
  /** The pointer of its schema. */
  readonly schema: string
}

/** Every example with a schema beside it. */
function examplesIn(part: unknown, pointer: string): readonly Example[] {
  if (typeof part !== 'object' || part === null) return []
  const { schema, example, examples } = Object(part)
  const own = [
    ...(example === undefined ? [] : [example]),
    ...Object.values(Object(examples)).map((one) => resolved(one).value),
  ]
  const beside = typeof schema === 'object' ? own : []
  return [
    ...beside.map((value) => ({ value, schema: `${pointer}/schema` })),
    ...Object.entries(part).flatMap(([name, inner]) =>
      examplesIn(inner, `${pointer}/${escaped(name)}`),
    ),
  ]
}

/** A part of the document, or what it refers to. */
function resolved(part: unknown) {
  const { $ref } = Object(part)
  if (typeof $ref !== 'string') return Object(part)
  return $ref
    .split('/')
    .slice(1)
    .reduce((parent, name) => Object(parent)[name], document)
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** The document with schemas that accept only the members they describe. */
function closed(part: unknown): AnySchema & object {
  if (Array.isArray(part))
    return Object(part.map((one) => (typeof one === 'object' ? closed(one) : one)))
  const entries = Object.entries(Object(part)).map(([name, inner]) => {
    return [name, typeof inner === 'object' && inner !== null ? closed(inner) : inner]
  })
  const { type, properties, additionalProperties = false } = Object(part)
  const isObjectSchema = type === 'object' && properties !== undefined
  return { ...Object.fromEntries(entries), ...(isObjectSchema && { additionalProperties }) }
}
