import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { fingerprintChecker, openReportChecks } from './report-checks.ts'

const SOURCE = join(import.meta.dirname, '..')
const PACKAGES = join(import.meta.dirname, '../../..')

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  file = join(folder, 'report-checks.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = () => openReportChecks(file, 'this')

test('remembers a text with its tables for the next process, and no other text', () => {
  open().add('one', new Set(['transactions', 'currencies']))
  open().add('two', new Set())
  expect(open().find('one')).toEqual(new Set(['transactions', 'currencies']))
  expect(open().find('two')).toEqual(new Set())
  expect(open().find('one ')).toBeUndefined()
  expect(readdirSync(folder)).toEqual(['report-checks.json'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test.each([
  ['{"version":1,"reports":{', 'truncated'],
  ['{"version":2,"reports":{}}', 'of another version'],
])('treats %j as empty: it is %s', (content) => {
  writeFileSync(file, content, { mode: 0o600 })
  expect(open().find('one')).toBeUndefined()
  open().add('one', new Set(['transactions']))
  expect(open().find('one')).toEqual(new Set(['transactions']))
})

test('forgets the oldest check at the limit', () => {
  const reports = Object.fromEntries(
    Array.from({ length: LIMITS.rememberedChecksMax }, (_, index) => {
      return [index.toString(16).padStart(64, '0'), []]
    }),
  )
  writeFileSync(file, JSON.stringify({ version: 1, reports }), { mode: 0o600 })
  open().add('one', new Set())
  const kept = Object.keys(JSON.parse(readFileSync(file, 'utf8')).reports)
  expect(kept).toHaveLength(LIMITS.rememberedChecksMax)
  expect(kept).not.toContain('0'.repeat(64))
  expect(open().find('one')).toEqual(new Set())
})

test('loses only time if it cannot write', () => {
  const checks = openReportChecks(join(folder, 'none', 'report-checks.json'), 'this')
  checks.add('one', new Set())
  expect(checks.find('one')).toBeUndefined()
})

describe('the fingerprint of the checker', () => {
  test('changes with a source in a folder of it, and with the engine', () => {
    const folders = ['engine', 'templates'].map((name) => {
      cpSync(join(PACKAGES, name, 'src'), join(folder, name), { recursive: true })
      return join(folder, name)
    })
    const before = fingerprintChecker('engine 1', folders)
    expect(fingerprintChecker('engine 1', folders)).toBe(before)
    expect(fingerprintChecker('engine 2', folders)).not.toBe(before)
    appendFileSync(join(folder, 'templates/check/check-sql.ts'), '\n')
    expect(fingerprintChecker('engine 1', folders)).not.toBe(before)
  })

  test('covers more than the package of report files', () => {
    expect(fingerprintChecker('engine 1')).not.toBe(fingerprintChecker('engine 1', [SOURCE]))
  })
})
