import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import * as z from 'zod'
import { GatewayError } from '../../../common/src/errors.ts'
import { type Config, loadConfig } from './config.ts'
import { configSchema } from './schema.ts'
import { storeFile } from '../../../store/src/store/open-store.ts'

const ROOT = join(import.meta.dirname, '../../../..')

const MINIMAL = {
  environment: 'sandbox',
  publicUrl: 'http://127.0.0.1:8080',
  reportPath: '/ui/services/v2/rpt-engine',
  dataDir: 'data',
  reports: '../reports',
  masterKeys: [{ version: 1, file: 'master.key' }],
}

const MAXIMA = { perLoginMax: 1_000_000, perLoginAndDayMax: 100_000 }
const PRODUCTION = 'environment: production, publicUrl: https://r.example'
const HTTPS = 'publicUrl: https://r.example, tls: {certificate: c, key: k}'
const servers = (url: string) => `engine: {cluster: {urls: ['${url}'], user: u, passwordFile: p}}`
const shop = (url: string) => `databases: {shop: {passwordFile: p, url: '${url}'}}`
const store = (url: string) => `store: {postgres: {url: '${url}'}}`
const sync = (schedule: string) => `syncs: [{source: s.sql, schedule: '${schedule}'}]`

/** Changes that make a configuration faulty, and a part of the fault. */
const REFUSED = [
  'listen: {host: 0.0.0.0} | listen.host',
  `${HTTPS}, proxyEndsTls: true | proxyEndsTls: expected false`,
  'tls: {certificate: c, key: k} | publicUrl: expected https://, because "tls" is set',
  'tls: {certificate: c} | tls.key: expected string, got nothing',
  `${PRODUCTION}, payments: {} | payments: not allowed in production`,
  `${PRODUCTION}, ${servers('http://c:8123')} | engine.cluster.urls[0]: expected https://, or http:// on a loopback`,
  `${servers('http://c:8123/play')} | engine.cluster.urls[0]: expected the origin alone: "http://c:8123"`,
  'environment: production | publicUrl: expected an address',
  'publicUrl: http://r.example, proxyEndsTls: true, console: {viewSessions: {}} | publicUrl: expected https://, or http:// on a loopback address',
  'publicUrl: reports.example.com | publicUrl: expected an address',
  'console: {viewSessions: {minutes: 1441}} | console.viewSessions.minutes: expected number to be <=1440',
  'console: {path: /ui} | console.path: expected',
  'refusalStatus: 401 | refusalStatus: expected 200 or 403',
  'reportPath: ui/report | reportPath: expected',
  'reportPath: /ui/../x | reportPath: expected a path',
  'reportPath: "/ui/:x" | reportPath: expected a path',
  'masterKeys: [] | masterKeys: expected array to have >=1 items',
  'masterKeys: [{version: 1}] | either a file or an env',
  'masterKeys: [{version: 1, file: f, environment: E}] | masterKeys[0]: expected either a file or an environment variable',
  'masterKeys: [{version: 1, file: f}, {version: 1, file: g}] | masterKeys[1].version: expected a unique version',
  'otherEnvironment: {keyFingerprints: ["MD5:00"]} | otherEnvironment.keyFingerprints[0]: expected a fingerprint',
  'engine: {sessions: 0} | engine.sessions: expected number',
  'engine: {sessions: 25} | engine.sessions: expected number to be <=24',
  'engine: {queueWaitSeconds: 86401} | engine.queueWaitSeconds: expected number to be <=86400',
  'formats: {pdf: {rowsMax: 0}} | formats.pdf.rowsMax: expected number',
  'listen: {port: 65536} | listen.port: expected number',
  'databases: {shop: {url: "postgres://u@db/shop"}} | either a file or an env',
  `${shop('shop')} | databases.shop.url: expected a URL`,
  `${shop('mysql://u:secret@db/shop')} | databases.shop.url: expected no password`,
  `${shop('http://u@db:8123/shop')} | databases.shop.url: expected https://, or http:// on a loopback address`,
  `${store('mysql://u@db/name')} | store.postgres.url: expected a URL such as "postgres://user@host:5432/database"`,
  `${store('postgres://db/name')} | store.postgres.url: expected a URL such as`,
  `${store('postgres://u@db/a/b')} | store.postgres.url: expected a URL such as`,
  `${store('postgres://u:secret@db/name')} | store.postgres.url: expected no password`,
  `${store('postgres://u@db/name?sslmode=require')} | store.postgres.url: expected no query, or "?sslmode=verify`,
  `${sync('* * * *')} | syncs[0].schedule: expected five fields of cron`,
  `${sync('60 * * * *')} | syncs[0].schedule: expected five fields of cron`,
  "syncs: [{source: a/s.sql, schedule: '0 0 * * *'}, {source: b/s.sql, schedule: '0 0 * * *'}] | syncs[1].source: expected a file name that no other sync has",
]
const TAKEN = [
  store('postgresql://u@[::1]:5433/name?sslmode=disable'),
  store('postgres://my%40user@10.0.0.7:5432/my%2Fdatabase?sslmode=verify-full'),
  servers('http://[::1]:8123'),
  "listen: {host: '::1'}",
  'listen: {host: 0.0.0.0}, proxyEndsTls: true',
  `${HTTPS}, listen: {host: 0.0.0.0}`,
  'environment: production, publicUrl: "https://reports.example.com:8443"',
  'engine: {sessions: 24, queueLength: 1000000, queueWaitSeconds: 86400}',
  'engine: {querySeconds: 86400, queryMemoryMax: 999999GiB, memoryMax: 999999GiB}',
  'drainSeconds: 86400',
]

let [folder, file] = ['', '']
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  file = join(folder, 'gateway.yaml')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Loads a configuration from its text, or from its differences to the minimal one. */
function load(written: string | object): Config {
  writeFileSync(file, typeof written === 'string' ? written : stringify({ ...MINIMAL, ...written }))
  return loadConfig(file)
}

function faults(written: string | object): string[] {
  try {
    load(written)
    return []
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'config') throw error
    return error.message.split('\n').map((line) => line.replace(`${file}:`, ''))
  }
}

describe('a configuration', () => {
  test('with only the required fields takes the defaults, and resolves paths from its folder', () => {
    const config = load({})
    expect(config).toEqual({
      ...MINIMAL,
      file,
      dataDir: join(folder, 'data'),
      reports: join(folder, '../reports'),
      businessDayZone: 'UTC',
      masterKeys: [{ version: 1, file: join(folder, 'master.key') }],
      oldReportPaths: [],
      refusalStatus: 200,
      timezone: 'UTC',
      listen: { host: '127.0.0.1', port: 8080 },
      proxyEndsTls: false,
      databases: {},
      syncs: [],
      engine: {
        sessions: 8,
        queueLength: 64,
        queueWaitSeconds: 30,
        querySeconds: 1800,
        queryMemoryMax: 1024 ** 3,
        memoryMax: 4 * 1024 ** 3,
      },
      payments: { apiPathPrefix: '/gate', rsaOnly: [], ...MAXIMA },
      ledgerRules: {},
      formats: { pdf: { rowsMax: 1_000_000, taggedRowsMax: 10_000 } },
      runs: { keptDays: 400, perLoginMax: 100_000 },
      console: { path: '/console' },
      drainSeconds: 30,
      log: { level: 'info' },
    })
    expect(storeFile(config)).toBe(join(folder, 'data', 'store.sqlite'))
  })

  test('resolves the path of every file from its folder', () => {
    const server = { passwordFile: 'p', caFile: '/etc/ca.pem' }
    const resolved = { passwordFile: join(folder, 'p'), caFile: '/etc/ca.pem' }
    const postgres = { url: 'postgres://gateway@db.example.com/counterfoil', ...server }
    const config = load({
      publicUrl: 'https://r.example',
      tls: { certificate: 'c', key: 'k' },
      store: { postgres },
      databases: { shop: postgres },
      syncs: [{ source: 's.sql', schedule: '0 0 * * *' }],
      engine: { cluster: { urls: ['https://c.example'], user: 'u', ...server } },
      formats: { pdf: { letterhead: { name: 'Acme', logo: 'l.png' } } },
    })
    expect(config).toMatchObject({
      tls: { certificate: join(folder, 'c'), key: join(folder, 'k') },
      store: { postgres: { ...postgres, ...resolved } },
      databases: { shop: resolved },
      syncs: [{ source: join(folder, 's.sql') }],
      engine: { cluster: { user: 'u', ...resolved } },
      formats: { pdf: { letterhead: { name: 'Acme', logo: join(folder, 'l.png') } } },
    })
  })

  test('has form operations in a sandbox only', () => {
    expect(load({}).payments).toBeDefined()
    const production = { environment: 'production', publicUrl: 'https://r.example' }
    expect(load(production).payments).toBeUndefined()
  })

  test('takes master keys from the environment, and sizes in each unit', () => {
    const masterKeys = [{ version: 2, environment: 'KEY' }]
    expect(load({ masterKeys }).masterKeys).toEqual(masterKeys)
    const queryMemoryMax = (size: string) => load({ engine: { queryMemoryMax: size } }).engine
    expect(queryMemoryMax('3KiB')).toMatchObject({ queryMemoryMax: 3072 })
    expect(queryMemoryMax('512MiB')).toMatchObject({ queryMemoryMax: 512 * 1024 * 1024 })
  })
})

describe('a faulty configuration', () => {
  test('is refused with every fault, its line, and the expected value', () => {
    const written = `
environmnet: sandbox
publicUrl: https://reports.example.com/
reportPath: /ui/services/v2/rpt-engine
dataDir: data
reports:
masterKeys:
  - version: 1
    file: master.key
  - version: "2"
    environment: KEY
engine:
  sesions: 4
  queueLength: -1
  queryMemoryMax: 1GB
  memoryMax: 4
log:
  level: loud
`
    expect(faults(written.trim())).toEqual([
      '1: environmnet: unknown name, did you mean "environment"?',
      '2: publicUrl: expected the origin alone: "https://reports.example.com"',
      '5: reports: expected string, received null',
      '9: masterKeys[1].version: expected number, received string',
      '12: engine.sesions: unknown name, did you mean "sessions"?',
      '13: engine.queueLength: expected number to be >=0',
      '14: engine.queryMemoryMax: expected a size such as "512MiB" or "1GiB"',
      '15: engine.memoryMax: expected a size such as "512MiB" or "1GiB"',
      '17: log.level: expected one of "debug"|"info"|"warn"|"error"|"silent"',
    ])
  })

  test('that is not YAML is refused with the line', () => {
    expect(faults('environment: sandbox\nlisten: "open\n')[0]).toMatch(/^3: Missing closing/)
    expect(faults('listen:\n  port: 1\nlisten: 2')).toEqual(['3: Map keys must be unique'])
    expect(faults('environment: *nothing')[0]).toContain('Unresolved alias')
    expect(faults('environment: !secret x')[0]).toMatch(/^1: Unresolved tag/)
    expect(faults('')).toEqual(['1: expected object, received null'])
    expect(faults('- a')).toEqual(['1: expected object, received array'])
  })

  test('that cannot be read is refused by name', () => {
    expect(() => loadConfig(join(folder, 'none.yaml'))).toThrow(
      'none.yaml: this file does not exist',
    )
    writeFileSync(file, Buffer.from([0x61, 0x3a, 0x20, 0xff]))
    expect(() => loadConfig(file)).toThrow('gateway.yaml: expected text in UTF-8')
  })

  test.each(REFUSED.map((line) => line.split(' | ')))('with %s is refused', (change, expected) => {
    const lines = faults(parse(`{${change}}`))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(expected)
  })

  test.each(TAKEN)('has no fault: %s', (change) => {
    expect(faults(parse(`{${change}}`))).toEqual([])
  })
})

test('the example for production loads', () => {
  const config = loadConfig(join(ROOT, 'examples/production.yaml'))
  expect(config).toMatchObject({ environment: 'production', proxyEndsTls: false })
  expect(config.masterKeys).toHaveLength(1)
})

describe('docs/configuration.md', () => {
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')
  const documented = new Map(
    [...page.matchAll(/^\| `([^`]+)` \| (?:`([^`]*)`|(\w+)) \| .+ \|$/gm)].map(
      ([, field = '', value, word]) => [field, value ?? word],
    ),
  )

  test('shows a configuration that loads', () => {
    const [, example = ''] = /^```yaml\n([^]*?)^```$/m.exec(page) ?? []
    expect(load(example)).toMatchObject({ environment: 'sandbox', listen: { port: 8080 } })
  })

  test('has every field of the schema, with its default, and no other', () => {
    const fields = describeFields(z.toJSONSchema(configSchema, { io: 'input' }))
    expect(fields.size).toBeGreaterThan(20)
    expect(documented).toEqual(fields)
  })
})

type JsonSchema = z.core.JSONSchema.BaseSchema

/** The fields of a schema with their defaults, as docs/configuration.md writes them. */
function describeFields(schema: JsonSchema, prefix = ''): Map<string, string> {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const field = member as JsonSchema
    const inner = field.type === 'array' ? (field.items as JsonSchema) : settingsOf(field)
    const path = `${prefix}${name}`
    const named = field.additionalProperties
    if (typeof named === 'object' && named.properties) {
      return [...describeFields(named, `${path}.<name>.`)]
    }
    if (inner.properties) {
      return [...describeFields(inner, field.type === 'array' ? `${path}[].` : `${path}.`)]
    }
    const isOptional = ['tls.', 'store.postgres.'].includes(prefix)
    const isRequired = schema.required?.includes(name) && !isOptional
    const fallback = field.default === undefined ? 'none' : stringify(field.default).trim()
    return [[path, isRequired ? 'required' : fallback] as const]
  })
  return new Map(fields)
}

/** The settings of a field that `false` switches off. */
function settingsOf(field: JsonSchema): JsonSchema {
  const shapes = (field.anyOf ?? []) as readonly JsonSchema[]
  return shapes.find(({ properties }) => properties) ?? field
}
