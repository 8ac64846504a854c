// @module-tag long

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const INSTALL = join(import.meta.dirname, 'install.js')

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'install-'))
  mkdirSync(join(folder, 'part'))
  writeJson('part/package.json', { name: 'part', version: '1.0.0' })
  writeLockfile('first')
})

afterEach(() => rmSync(folder, { recursive: true }))

test('installs once, and again when the lockfile has changed', () => {
  writePackage(`"${process.execPath}" "${INSTALL}" --stamp`)
  expect(install()).toMatchObject({ status: 0, stdout: expect.stringContaining('Installing') })
  expect(existsSync(join(folder, 'node_modules/part/package.json'))).toBe(true)
  expect(install()).toMatchObject({ status: 0, stdout: '', stderr: '' })
  writeLockfile('second')
  expect(install()).toMatchObject({ status: 0, stdout: expect.stringContaining('Installing') })
})

test('fails when npm fails, or runs no scripts', () => {
  writePackage('exit 3')
  expect(install()).toMatchObject({ status: 1, stderr: expect.stringContaining('npm ci failed') })
  writePackage('true')
  expect(install()).toMatchObject({ status: 1, stderr: expect.stringContaining('ignore-scripts') })
})

test('says that there is no npm', () => {
  writePackage('true')
  const stderr = expect.stringContaining('npm could not be started')
  expect(install({ PATH: '/nowhere' })).toMatchObject({ status: 1, stderr })
})

function install(env: NodeJS.ProcessEnv = process.env) {
  return spawnSync(process.execPath, [INSTALL, folder], { encoding: 'utf8', env })
}

function writePackage(dependencies: string): void {
  const root = { name: 'root', version: '1.0.0', workspaces: ['part'], scripts: { dependencies } }
  writeJson('package.json', root)
}

function writeLockfile(name: string): void {
  const packages = {
    '': { name: 'root', version: '1.0.0', workspaces: ['part'] },
    'node_modules/part': { resolved: 'part', link: true },
    part: { version: '1.0.0' },
  }
  writeJson('package-lock.json', { name, lockfileVersion: 3, requires: true, packages })
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(join(folder, file), JSON.stringify(value))
}
