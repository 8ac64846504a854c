import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import config from '../.dependency-cruiser.mjs'
import { repositoryFiles } from '../scripts/repository-files.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDERS = ['packages', 'bench', 'examples', 'scripts', 'test']
const IN_GATEWAY = 'packages/gateway/src'

/** A small repository that keeps every rule: each file with its imports. */
const SMALL_REPOSITORY: Record<string, readonly string[]> = {
  'packages/signing/src/index.ts': ['./sign.ts', 'node:crypto'],
  'packages/signing/src/sign.ts': [],
  'packages/signing/src/sign.test.ts': ['./sign.ts', 'fastify'],
  'packages/protocol/src/index.ts': [],
  'packages/client/src/index.ts': ['@counterfoil/signing', '@counterfoil/protocol'],
  'packages/counterfoil/src/main.ts': ['@counterfoil/client', '@counterfoil/signing'],
  'packages/common/src/index.ts': ['@counterfoil/protocol'],
  'packages/engine/src/index.ts': ['./own-server/own-server.ts'],
  'packages/engine/src/own-server/own-server.ts': ['chdb', '@counterfoil/common'],
  'packages/engine/src/own-server/own-server.test.ts': [
    './own-server.ts',
    '../../../gateway/test/kit/ledger.ts',
  ],
  'packages/gateway/src/main.ts': ['./commands/demo.ts'],
  'packages/gateway/src/commands/demo.ts': ['@counterfoil/client', '../serve/gateway.ts'],
  'packages/gateway/src/serve/gateway.ts': ['../http/server.ts', '@counterfoil/engine'],
  'packages/gateway/src/http/server.ts': ['fastify', '../report/report.ts', './reply.ts'],
  'packages/gateway/src/http/reply.ts': ['@counterfoil/protocol'],
  'packages/gateway/src/report/report.ts': ['../authenticate/authenticate.ts'],
  'packages/gateway/src/payments/transfer.ts': ['../authenticate/authenticate.ts'],
  'packages/gateway/src/authenticate/authenticate.ts': ['@counterfoil/signing'],
  'packages/gateway/test/kit/ledger.ts': [
    '@counterfoil/client',
    '../../src/serve/gateway.ts',
    'chdb',
  ],
}

const PLANTED = [
  ['no circle', 'packages/signing/src/sign.ts', './index.ts'],
  ['no unresolved', 'packages/signing/src/sign.ts', './nowhere.ts'],
  ['package signing', 'packages/signing/src/sign.ts', '@counterfoil/protocol'],
  ['package client', 'packages/client/src/index.ts', '../../counterfoil/src/main.ts'],
  ['package engine', 'packages/engine/src/index.ts', '../../gateway/src/main.ts'],
  ['packages through index.ts', 'packages/client/src/index.ts', '../../signing/src/sign.ts'],
  [
    'client and sample-data only in commands/ and demo/',
    `${IN_GATEWAY}/serve/gateway.ts`,
    '@counterfoil/client',
  ],
  ['signing depends on nothing', 'packages/signing/src/sign.ts', 'fastify'],
  ['layer commands/', `${IN_GATEWAY}/commands/demo.ts`, '../main.ts'],
  ['layer serve/', `${IN_GATEWAY}/serve/gateway.ts`, '../commands/demo.ts'],
  ['layer http/', `${IN_GATEWAY}/http/reply.ts`, '../serve/gateway.ts'],
  ['layer report/ payments/', `${IN_GATEWAY}/report/report.ts`, '../payments/transfer.ts'],
  ['layer unknown', `${IN_GATEWAY}/extra/extra.ts`, '../http/reply.ts'],
  ['fastify only in packages/gateway/src/http/', `${IN_GATEWAY}/serve/gateway.ts`, 'fastify'],
  ['chdb only in packages/engine/src/own-server/', 'packages/engine/src/index.ts', 'chdb'],
] as const

const repository = mkdtempSync(join(tmpdir(), 'boundaries-'))

beforeAll(() => {
  for (const [file, imports] of Object.entries(SMALL_REPOSITORY)) {
    write(join(repository, file), imports.map(importOf).join(''))
  }
  for (const name of ['fastify', 'chdb']) {
    write(join(repository, 'node_modules', name, 'index.js'), '')
    write(join(repository, 'node_modules', name, 'package.json'), JSON.stringify({ name }))
  }
  mkdirSync(join(repository, 'node_modules/@counterfoil'))
  for (const name of ['signing', 'protocol', 'client', 'common', 'engine']) {
    symlinkSync(`../../packages/${name}`, join(repository, 'node_modules/@counterfoil', name))
    write(join(repository, 'packages', name, 'package.json'), '{"exports": "./src/index.ts"}')
  }
})

afterAll(() => rmSync(repository, { recursive: true }))

test('every import of the repository keeps the rules', async () => {
  expect(await violationsIn(ROOT)).toEqual([])
})

test('each rule finds an import that breaks it, and no other', async () => {
  expect(await violationsIn(repository)).toEqual([])
  for (const [, file, imported] of PLANTED) {
    mkdirSync(dirname(join(repository, file)), { recursive: true })
    appendFileSync(join(repository, file), importOf(imported))
  }
  const violations = await violationsIn(repository)
  for (const [rule, file] of PLANTED) {
    expect(violations).toContainEqual(expect.stringMatching(`^${rule}: .*${file}`))
  }
})

/** Returns a line for each import of the repository at `root` that breaks a rule. */
async function violationsIn(root: string): Promise<readonly string[]> {
  const folders = FOLDERS.filter((folder) => existsSync(join(root, folder)))
  const { output } = await cruise(folders, {
    ...config.options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: config.forbidden ?? [] },
  })
  if (typeof output === 'string') throw new Error('expected a result, not a text')
  // Without its parser, the tool reads no file and finds no fault.
  const read = new Set(output.modules.map(({ source }) => source))
  const files = repositoryFiles(root, `{${folders.join(',')}}/**/*.ts`)
  expect(files.filter((file) => !read.has(file))).toEqual([])
  return output.summary.violations.map(({ rule, from, to, cycle }) => {
    const way = cycle ? cycle.map((step) => step.name).join(' -> ') : to
    return `${rule.name}: ${from} -> ${way}`
  })
}

function importOf(imported: string): string {
  return `import type {} from '${imported}'\n`
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
