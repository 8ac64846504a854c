import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Lockfile, missingPackages } from '../scripts/complete-lockfile.ts'
import { repositoryFiles } from '../scripts/repository-files.ts'

const ROOT = join(import.meta.dirname, '..')
const LINES_MAX = 350
const MARK = /\b(TO[D]O|FIX[M]E|HA[C]K|X[X]X)\b/

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const sources = repositoryFiles(ROOT, '**/*.{ts,js,mjs}')
const documents = repositoryFiles(ROOT, '**/*.md')

const LOCKFILES = ['.', 'scripts/node-22', 'scripts/package-checks', 'scripts/test-databases'].map(
  (folder) => {
    return join(folder, 'package-lock.json')
  },
)

describe.each(LOCKFILES)('%s', (file) => {
  const lockfile = JSON.parse(read(file)) as Lockfile

  test('has no download address and no path of a machine', () => {
    const places = Object.values(lockfile.packages).map(({ resolved }) => resolved ?? 'packages/')
    expect(places.filter((place) => !place.startsWith('packages/'))).toEqual([])
  })

  test('has the packages of every platform (else: npm run lockfile, or node scripts/complete-lockfile.ts FOLDER)', () => {
    expect(Object.keys(missingPackages(lockfile))).toEqual([])
  })
})

test('every package has the same version, and depends on that version of the others', () => {
  const manifests = repositoryFiles(ROOT, 'packages/*/package.json').map((file) => {
    return JSON.parse(read(file)) as Manifest
  })
  const dependencies = manifests.flatMap((manifest) => Object.entries(manifest.dependencies ?? {}))
  const own = dependencies.filter(([name]) => manifests.some((manifest) => manifest.name === name))
  expect(own.length).toBeGreaterThan(manifests.length)
  const versions = [...manifests.map(({ version }) => version), ...own.map(([, range]) => range)]
  expect([...new Set(versions)]).toEqual([(JSON.parse(read('package.json')) as Manifest).version])
})

test.each(documents)('the relative links of %s exist', (file) => {
  const links = [...read(file).matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => link ?? '')
  const relative = links.filter((link) => !/^[a-z]+:/.test(link))
  const isThere = (link: string) => existsSync(join(ROOT, dirname(file), decodeURI(link)))
  expect(relative.filter((link) => !isThere(link))).toEqual([])
})

/** A subject has one file of tests, however long its list of cases is. */
const TESTS = /\.(test|cases)\.ts$/

test(`no source file is longer than ${LINES_MAX} lines`, () => {
  expect(sources.length).toBeGreaterThan(0)
  const withoutTests = sources.filter((file) => !TESTS.test(file))
  expect(withoutTests.filter((file) => read(file).split('\n').length > LINES_MAX + 1)).toEqual([])
})

test('no source file says that something is still to be done', () => {
  expect(sources.filter((file) => MARK.test(read(file)))).toEqual([])
})

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}
