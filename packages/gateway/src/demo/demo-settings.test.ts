import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareDemoConfig, readDemoSettings } from './demo-settings.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('reads settings from the environment, and has a default for each', () => {
  const defaults = { port: 8080, rows: 1_000_000, dataDir: resolve('var/demo') }
  expect(readDemoSettings({ PORT: '' })).toEqual(defaults)
  const environment = { PORT: '9000', ROWS: '5000', DATA_DIR: folder }
  expect(readDemoSettings(environment)).toEqual({ port: 9000, rows: 5000, dataDir: folder })
})

test.each([
  ['PORT', '0'],
  ['PORT', '65536'],
  ['PORT', '80.5'],
  ['PORT', '-1'],
  ['ROWS', '999'],
  ['ROWS', '1e6'],
  ['ROWS', '1000000001'],
])('refuses %s=%s', (name, text) => {
  const expected = new RegExp(`^${name}: expected a whole number from \\d+ to \\d+, got "${text}"$`)
  expect(() => readDemoSettings({ [name]: text })).toThrow(expected)
})

test('names a folder that it cannot write', () => {
  const dataDir = join(folder, 'file')
  writeFileSync(dataDir, '')
  const expected = `DATA_DIR: cannot write to the folder ${dataDir}`
  expect(() => prepareDemoConfig({ port: 8080, rows: 1000, dataDir })).toThrow(expected)
})

test.each(['store.sqlite', 'ledger'])(
  'does not touch a folder that holds a gateway’s %s and no demo',
  (name) => {
    const dataDir = mkdtempSync(join(folder, 'foreign-'))
    writeFileSync(join(dataDir, name), '')
    writeFileSync(join(dataDir, 'gateway.yaml'), 'environment: production\n')
    const expected = `DATA_DIR: ${dataDir} holds the data of another gateway. Choose another folder`
    expect(() => prepareDemoConfig({ port: 8080, rows: 1000, dataDir })).toThrow(expected)
    expect(readFileSync(join(dataDir, 'gateway.yaml'), 'utf8')).toBe('environment: production\n')
  },
)
