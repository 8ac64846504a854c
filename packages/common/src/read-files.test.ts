import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { configSchema } from '../../gateway/src/config/schema.ts'
import { readPassword, readPrivateFile } from './read-files.ts'

let folder: string
let passwordFile: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, 'from a file\n', { mode: 0o600 })
})
afterEach(() => rmSync(folder, { recursive: true }))

test('reads a file that a group of this process may read, and refuses any other group', () => {
  chmodSync(passwordFile, 0o640)
  expect(readPrivateFile(passwordFile, 'file')).toBe('from a file\n')
  const others = [statSync(passwordFile).gid + 1]
  expect(() => readPrivateFile(passwordFile, 'file', others)).toThrow(`chmod 600 ${passwordFile}`)
  chmodSync(passwordFile, 0o660)
  expect(() => readPrivateFile(passwordFile, 'file')).toThrow(`chmod 600 ${passwordFile}`)
})

test('reads a password from a file or from the environment', () => {
  const environment = { PASSWORD: 'from the environment\n' }
  expect(readPassword({ passwordFile }, environment)).toBe('from a file')
  const source = { passwordEnvironment: 'PASSWORD' }
  expect(readPassword(source, environment)).toBe('from the environment')
  expect(() => readPassword(source, {})).toThrow('expected a password in $PASSWORD')
})

test('the configuration names a file or a variable of the environment, not both', () => {
  const messagesOf = (change: object): readonly string[] => {
    const masterKeys = [{ version: 1, file: 'master.key' }]
    const paths = { reportPath: '/reports', dataDir: 'data', reports: 'reports' }
    const config = {
      environment: 'sandbox',
      publicUrl: 'http://127.0.0.1:8080',
      ...paths,
      masterKeys,
    }
    const { error } = configSchema.safeParse({ ...config, ...change })
    return error?.issues.map(({ message }) => message) ?? []
  }
  const cluster = { urls: ['http://127.0.0.1:8123'], user: 'u' }
  const postgres = { url: 'postgres://a@b/c' }
  const source = { passwordEnvironment: 'PASSWORD' }
  const both = { ...source, passwordFile: 'password' }
  const either = ['expected either a file or an environment variable']
  expect(messagesOf({ engine: { cluster: { ...cluster, ...source } } })).toEqual([])
  expect(messagesOf({ store: { postgres: { ...postgres, ...source } } })).toEqual([])
  expect(messagesOf({ engine: { cluster } })).toEqual(either)
  expect(messagesOf({ engine: { cluster: { ...cluster, ...both } } })).toEqual(either)
  expect(messagesOf({ store: { postgres: { ...postgres, ...both } } })).toEqual(either)
})
