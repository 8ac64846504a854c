// @module-tag long

// Packs the packages, installs them into empty folders as their users do, and uses them.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { importControlKey, sign } from '@counterfoil/signing'
import { parse } from 'csv-parse/sync'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../packages/gateway/test/kit/free-port.ts'
import {
  CONTROL_KEY,
  LOGIN,
  sendReport,
  startGateway,
} from '../../packages/client/test/fixture-gateway.ts'
import { runInChromium } from '../../packages/signing/test/run-in-chromium.ts'
import { type PackedPackage, packPackages } from '../../scripts/pack.ts'
import { type Credentials, damagingGateway } from './damaging-gateway.ts'
import {
  bin,
  inFolder,
  installPackages,
  installTools,
  RUNTIMES,
  TOOLS,
} from './install-packages.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAMS = join(import.meta.dirname, 'programs')
const runFile = promisify(execFile)

const NAMES = readdirSync(join(ROOT, 'packages')).map((name) => {
  return name === 'counterfoil' ? name : `@counterfoil/${name}`
})
/** What a merchant's developer installs. */
const CLIENT = ['@counterfoil/client', '@counterfoil/protocol', '@counterfoil/signing']

const folder = mkdtempSync(join(tmpdir(), 'packages-'))
const [merchant, operator] = [join(folder, 'merchant'), join(folder, 'operator')]

let packed: readonly PackedPackage[] = []
beforeAll(() => {
  installTools()
  packed = packPackages(join(folder, 'tarballs'))
  installPackages(merchant, packages(...CLIENT, 'counterfoil'))
  cpSync(PROGRAMS, merchant, { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The packed packages with these names. */
function packages(...names: readonly string[]): readonly PackedPackage[] {
  return names.map((name) => {
    const found = packed.find((one) => one.name === name)
    if (!found) throw new Error(`npm run pack did not make ${name}`)
    return found
  })
}

/** The packages below `node_modules` of a folder. */
function installedIn(place: string): readonly string[] {
  const names = globSync('{@*/*,[!.@]*}', { cwd: join(place, 'node_modules') })
  return names.toSorted()
}

test('packs every package of the repository', () => {
  expect(packed.map(({ name }) => name)).toEqual(NAMES)
})

test.each(NAMES)('publint and attw find no fault in %s', async (name) => {
  const tarball = packages(name)[0]?.tarball ?? ''
  const publint = runFile(bin(TOOLS.packageChecks, 'publint'), ['--strict', tarball])
  await expect(publint).resolves.toMatchObject({ stdout: expect.stringContaining('All good!') })
  // The commands have nothing to import.
  if (name === 'counterfoil' || name === '@counterfoil/gateway') return
  const attw = runFile(bin(TOOLS.packageChecks, 'attw'), ['--profile', 'esm-only', tarball])
  await expect(attw).resolves.toMatchObject({ stderr: '' })
})

test('the signing package installs alone, without a test and with its declarations', () => {
  const place = join(folder, 'signing')
  installPackages(place, packages('@counterfoil/signing'))
  expect(installedIn(place)).toEqual(['@counterfoil/signing'])
  const files = globSync('**/*.*', { cwd: join(place, 'node_modules/@counterfoil/signing/dist') })
  const sources = globSync('**/*.ts', { cwd: join(ROOT, 'packages/signing/src') })
  const compiled = sources
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const name = file.slice(0, -'.ts'.length)
      return [`${name}.js`, `${name}.js.map`, `${name}.d.ts`]
    })
  expect(files.toSorted()).toEqual(compiled.toSorted())
})

test('the client installs without a command-line library and without the engine', () => {
  const place = join(folder, 'client')
  installPackages(place, packages(...CLIENT))
  const others = ['@noble/hashes', 'content-disposition', 'zod']
  expect(installedIn(place)).toEqual([...CLIENT, ...others])
})

describe('a merchant', () => {
  test.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
  ])('finds the types with module %s and moduleResolution %s', async (module, resolution) => {
    const programs = readdirSync(PROGRAMS)
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')]
    const modules = ['--module', module, '--moduleResolution', resolution, '--target', 'es2024']
    const options = ['--noEmit', '--allowImportingTsExtensions', '--strict', ...modules, ...types]
    const tsc = runFile(bin(ROOT, 'tsc'), [...options, ...programs], inFolder(merchant))
    await expect(tsc).resolves.toMatchObject({ stdout: '' })
  })

  test.each(RUNTIMES.slice(0, 2))('loads in CommonJS in %s', async (_, [node = '']) => {
    const program = `const { CounterfoilClient } = require('@counterfoil/client')
      const { ENDPOINT: endpoint, LOGIN: login, CONTROL_KEY: controlKey } = process.env
      const client = new CounterfoilClient({ endpoint, login, controlKey })
      const saving = client.download('x', {}, 'required.csv', { overwrite: true })
      saving.then(({ rows }) => console.log(rows, require('@counterfoil/signing').sign.name))`
    const { endpoint: ENDPOINT } = await startGateway((response) => sendReport(response))
    const place = inFolder(merchant, { ENDPOINT, LOGIN, CONTROL_KEY })
    const ended = await runFile(node, ['--input-type=commonjs', '--eval', program], place)
    expect(ended).toEqual({ stdout: '3 sign\n', stderr: '' })
  })

  test.each(RUNTIMES)('recognises damaged reports in %s', async (_, command) => {
    const results = await runSuite(command, { SUITE: 'faults', ...(await damagingGateway()) })
    expect(results).toEqual({ ...DAMAGE_RECOGNISED, 'is not saved': 'truncated' })
    expect(existsSync(join(merchant, 'is-cut.csv'))).toBe(false)
  })

  test('recognises damaged reports in a page', async () => {
    const gateway = await damagingGateway()
    expect(await runSuiteInPage('checkFaults', gateway)).toEqual(DAMAGE_RECOGNISED)
  })

  test('signs in a page', async () => {
    const request = {
      method: 'POST',
      url: 'https://gate.example.com/a',
      form: [['amount', '10.42']],
    }
    const options = { nonce: '5f2c9a1e7b3d4c60', timestampSeconds: 1_700_000_000 }
    const script = await bundle(`import { importControlKey, sign } from '@counterfoil/signing'
      const key = await importControlKey('${CONTROL_KEY}')
      const request = ${JSON.stringify(request)}
      const signed = await sign(request, { consumerKey: 'shop', key }, ${JSON.stringify(options)})
      globalThis.results = signed.authorization`)
    const key = await importControlKey(CONTROL_KEY)
    const form = [['amount', '10.42']] as const
    const { authorization } = await sign(
      { ...request, form },
      { consumerKey: 'shop', key },
      options,
    )
    expect(await runInChromium(script)).toBe(authorization)
  })

  test('bundles the signing package for browsers in the size that its README states', async () => {
    const readme = readFileSync(join(ROOT, 'packages/signing/README.md'), 'utf8')
    const stated = [...readme.matchAll(/(\d+) kB\s\((\d+) kB\scompressed/g)].map(
      ([, ...sizes]) => sizes,
    )
    const some = await bundle(`export { importControlKey, sign } from '@counterfoil/signing'`)
    const all = await bundle(`export * from '@counterfoil/signing'`)
    const inKilobytes = (bytes: number) => String(Math.ceil(bytes / 1000))
    const measured = [some, all].map((script) => {
      return [inKilobytes(Buffer.byteLength(script)), inKilobytes(gzipSync(script).length)]
    })
    expect(stated).toEqual(measured)
  })
})

const DAMAGE_RECOGNISED = {
  'is-cut': 'ok',
  'lacks-a-row': 'ok',
  'has-another-byte': 'ok',
  'is-silent': 'ok',
}

type SuiteResults = Readonly<Record<string, string>>

async function runSuite(
  [command = '', ...options]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<SuiteResults> {
  const program = [...options, 'run-client-suite.ts']
  const { stdout } = await runFile(command, program, inFolder(merchant, env))
  return JSON.parse(stdout)
}

async function runSuiteInPage(
  check: 'checkFaults' | 'checkGateway',
  { ENDPOINT: endpoint, LOGIN: login, CONTROL_KEY: controlKey }: Credentials,
): Promise<SuiteResults> {
  const script = await bundle(`import { ${check} } from './client-suite.ts'
    globalThis.results = await ${check}(${JSON.stringify({ endpoint, login, controlKey })})`)
  return await runInChromium<SuiteResults>(script, new URL(endpoint).origin)
}

/** Bundles a module for browsers with the packages of the merchant. */
async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: merchant },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

describe('the demo of the installed gateway', () => {
  let firstStart: { readonly stdout: string }
  let gateway: ChildProcess
  let credentials: Credentials
  beforeAll(async () => {
    installPackages(operator, packages(...NAMES))
    const place = inFolder(operator, { PORT: String(await freePort()), ROWS: '5000' })
    firstStart = await runFile('npx', ['@counterfoil/gateway', 'demo', '--once'], place)
    gateway = spawn(bin(operator, 'counterfoil-gateway'), ['demo'], place)
    const ENDPOINT = await endpointOf(gateway)
    const { consumers } = JSON.parse(readFileSync(join(operator, 'var/demo/demo.json'), 'utf8'))
    const [{ login, controlKey }] = consumers
    credentials = { ENDPOINT, LOGIN: login, CONTROL_KEY: controlKey }
  })
  afterAll(() => gateway.kill('SIGKILL'))

  test('starts in an empty folder, with its own report files and made-up transactions', () => {
    expect(firstStart.stdout).toMatch(/^checking 10 report files$/m)
    expect(firstStart.stdout).toMatch(/^ {2}"Merchant_Name",/m)
    expect(firstStart.stdout).toMatch(/^Ready: http/m)
  })

  test('serves the console', async () => {
    const page = await fetch(new URL('/', credentials['ENDPOINT']))
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const [, script = ''] = /src="([^"]+)"/.exec(await page.text()) ?? []
    const code = await fetch(new URL(script, page.url))
    expect([code.status, code.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
  })

  test.each(RUNTIMES)(
    'serves the installed packages in %s',
    async (_, [command = '', ...options]) => {
      const program = [...options, 'use-packages.ts']
      const { stdout } = await runFile(command, program, inFolder(merchant, credentials))
      const bytes = statSync(join(merchant, 'report.csv')).size
      const rows = parse(readFileSync(join(merchant, 'report.csv'))).length - 1
      expect(JSON.parse(stdout)).toEqual({ status: 200, fetched: bytes, bytes, rows })
      expect(rows).toBeGreaterThan(100)
    },
  )

  test.each(RUNTIMES)('serves the suite of the client in %s', async (_, command) => {
    const results = await runSuite(command, credentials)
    expect(Object.keys(results).length).toBeGreaterThan(4)
    expect(new Set(Object.values(results))).toEqual(new Set(['ok']))
  })

  test('serves the suite of the client in a page', async () => {
    const results = await runSuiteInPage('checkGateway', credentials)
    expect(Object.keys(results).length).toBeGreaterThan(4)
    expect(new Set(Object.values(results))).toEqual(new Set(['ok']))
  })

  test('serves the installed command', async () => {
    const { stdout } = await runFile('npx', ['counterfoil', '--help'], inFolder(merchant))
    expect(stdout).toContain('counterfoil report transactions-list')
    const { ENDPOINT, LOGIN: login, CONTROL_KEY: key } = credentials
    const env = {
      COUNTERFOIL_ENDPOINT: ENDPOINT,
      COUNTERFOIL_LOGIN: login,
      COUNTERFOIL_CONTROL_KEY: key,
    }
    // A PDF needs the fonts of the gateway's dependencies.
    const request = ['transactions-list', '--format', 'PDF', '-o', 'by-command.pdf']
    const command = ['counterfoil', 'report', ...request]
    const { stderr } = await runFile('npx', command, inFolder(merchant, env))
    expect(stderr).toMatch(/^Saved by-command\.pdf: [\d,]+ rows/m)
    expect(readFileSync(join(merchant, 'by-command.pdf'), 'latin1')).toMatch(/^%PDF-/)
  })
})

/** Waits until a demo serves, and returns its report URL. */
async function endpointOf({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('expected a pipe')
  for await (const line of createInterface({ input: stdout })) {
    const [, endpoint] = /^Ready: (.*)/.exec(line) ?? []
    if (endpoint) return endpoint
  }
  throw new Error('the demo ended before it served')
}
