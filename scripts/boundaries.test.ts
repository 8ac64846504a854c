// @module-tag long

import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findViolations } from './boundaries.ts'

const IN_GATEWAY = 'packages/gateway/src'

/** A small repository that keeps every rule: each file with its imports. */
const SMALL_REPOSITORY: Record<string, readonly string[]> = {
  'packages/signing/src/index.ts': ['./sign.ts', 'node:crypto'],
  'packages/signing/src/sign.ts': [],
  'packages/signing/src/sign.test.ts': ['./sign.ts', 'fastify'],
  'packages/protocol/src/index.ts': [],
  'packages/client/src/index.ts': ['@counterfoil/signing', '@counterfoil/protocol'],
  'packages/counterfoil/src/main.ts': ['@counterfoil/client', '@counterfoil/signing'],
  'packages/gateway/src/index.ts': ['./gateway.ts'],
  'packages/gateway/src/main.ts': ['./commands/demo.ts'],
  'packages/gateway/src/commands/demo.ts': ['@counterfoil/client', '../gateway.ts'],
  'packages/gateway/src/gateway.ts': ['./http/server.ts', './store/store.ts', './errors.ts'],
  'packages/gateway/src/http/server.ts': ['fastify', '../report/report.ts', './reply.ts'],
  'packages/gateway/src/http/reply.ts': ['@counterfoil/protocol'],
  'packages/gateway/src/report/report.ts': ['../formats/csv.ts', '../engine/engine.ts'],
  'packages/gateway/src/payments/transfer.ts': ['../authenticate/authenticate.ts'],
  'packages/gateway/src/templates/template.ts': ['../formats/csv.ts'],
  'packages/gateway/src/formats/csv.ts': ['../engine/engine.ts', '../limits.ts'],
  'packages/gateway/src/authenticate/authenticate.ts': [
    '@counterfoil/signing',
    '../store/store.ts',
  ],
  'packages/gateway/src/engine/engine.ts': [],
  'packages/gateway/src/engine/own-server.ts': ['chdb', './engine.ts'],
  'packages/gateway/src/engine/own-server.test.ts': ['./own-server.ts', '../http/server.ts'],
  'packages/gateway/src/store/store.ts': ['node:sqlite', '../errors.ts'],
  'packages/gateway/src/errors.ts': [],
  'packages/gateway/src/limits.ts': [],
  'packages/gateway/test/commands/demo.test.ts': [
    '@counterfoil/client',
    '../../src/gateway.ts',
    'chdb',
  ],
}

const PLANTED = [
  ['no circle', 'packages/signing/src/sign.ts', './index.ts'],
  ['no unresolved', 'packages/signing/src/sign.ts', './nowhere.ts'],
  ['package signing', 'packages/signing/src/sign.ts', '@counterfoil/protocol'],
  ['package protocol', 'packages/protocol/src/index.ts', '@counterfoil/signing'],
  ['package client', 'packages/client/src/index.ts', '@counterfoil/gateway'],
  ['package client', 'packages/client/src/index.ts', '../../counterfoil/src/main.ts'],
  ['package counterfoil', 'packages/counterfoil/src/main.ts', '@counterfoil/gateway'],
  ['packages through index.ts', 'packages/client/src/index.ts', '../../signing/src/sign.ts'],
  ['client and sample-data only in commands/', `${IN_GATEWAY}/gateway.ts`, '@counterfoil/client'],
  ['signing depends on nothing', 'packages/signing/src/sign.ts', 'fastify'],
  ['layer main.ts index.ts', `${IN_GATEWAY}/main.ts`, './index.ts'],
  ['layer commands/', `${IN_GATEWAY}/commands/demo.ts`, '../main.ts'],
  ['layer gateway.ts', `${IN_GATEWAY}/gateway.ts`, './commands/demo.ts'],
  ['layer http/', `${IN_GATEWAY}/http/reply.ts`, '../gateway.ts'],
  ['layer report/ payments/', `${IN_GATEWAY}/report/report.ts`, '../http/reply.ts'],
  ['layer report/ payments/', `${IN_GATEWAY}/report/report.ts`, '../payments/transfer.ts'],
  ['layer templates/', `${IN_GATEWAY}/templates/template.ts`, '../report/report.ts'],
  ['layer ledger/ formats/', `${IN_GATEWAY}/formats/csv.ts`, '../templates/template.ts'],
  [
    'layer authenticate/ engine/ config/ control/',
    `${IN_GATEWAY}/engine/engine.ts`,
    '../formats/csv.ts',
  ],
  ['layer store/', `${IN_GATEWAY}/store/store.ts`, '../engine/engine.ts'],
  ['layer errors.ts', `${IN_GATEWAY}/errors.ts`, './store/store.ts'],
  ['layer zone-clock.ts limits.ts shipped-reports.ts', `${IN_GATEWAY}/limits.ts`, './errors.ts'],
  ['layer unknown', `${IN_GATEWAY}/extra/extra.ts`, '../limits.ts'],
  ['fastify only in http/', `${IN_GATEWAY}/gateway.ts`, 'fastify'],
  ['chdb only in engine/', `${IN_GATEWAY}/formats/csv.ts`, 'chdb'],
  ['node:sqlite only in store/', `${IN_GATEWAY}/gateway.ts`, 'node:sqlite'],
] as const

const folder = mkdtempSync(join(tmpdir(), 'boundaries-'))
const repository = join(folder, 'repository')

beforeAll(() => {
  for (const [file, imports] of Object.entries(SMALL_REPOSITORY)) {
    write(join(repository, file), imports.map(importOf).join(''))
  }
  for (const name of ['fastify', 'chdb']) {
    write(join(repository, 'node_modules', name, 'index.js'), '')
    write(join(repository, 'node_modules', name, 'package.json'), JSON.stringify({ name }))
  }
  mkdirSync(join(repository, 'node_modules/@counterfoil'))
  for (const name of ['signing', 'protocol', 'client', 'gateway']) {
    symlinkSync(`../../packages/${name}`, join(repository, 'node_modules/@counterfoil', name))
    write(join(repository, 'packages', name, 'package.json'), '{"exports": "./src/index.ts"}')
  }
})

afterAll(() => rmSync(folder, { recursive: true }))

test('a repository that keeps the rules passes, and every file of it is read', async () => {
  const { files, violations } = await findViolations(repository)
  expect(violations).toEqual([])
  expect(files.toSorted()).toEqual(Object.keys(SMALL_REPOSITORY).toSorted())
})

test.each(PLANTED)('the rule "%s" finds %s importing %s', async (rule, file, imported) => {
  const changed = mkdtempSync(join(folder, 'changed-'))
  cpSync(repository, changed, { recursive: true, verbatimSymlinks: true })
  mkdirSync(dirname(join(changed, file)), { recursive: true })
  appendFileSync(join(changed, file), importOf(imported))
  const { violations } = await findViolations(changed)
  expect(violations).toContainEqual(expect.stringMatching(`^${rule}: .*${file}`))
})

test('finds an import inside a using declaration', async () => {
  const changed = mkdtempSync(join(folder, 'changed-'))
  cpSync(repository, changed, { recursive: true, verbatimSymlinks: true })
  const file = 'packages/protocol/src/index.ts'
  appendFileSync(join(changed, file), `{ await using a = await import('@counterfoil/signing') }\n`)
  const { violations } = await findViolations(changed)
  expect(violations).toContainEqual(expect.stringMatching(`^package protocol: ${file}`))
})

function importOf(imported: string): string {
  return `import type {} from '${imported}'\n`
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
