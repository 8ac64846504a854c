// Runs the `@example` blocks of the doc comments as a user would: against the package, by its name.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as library from '../src/index.ts'
import { readDocExamples, runDocExample } from './doc-examples.ts'
import { KEYS } from './vectors.ts'

const EXAMPLES = readDocExamples(join(import.meta.dirname, '../src'))
const PRELUDE = `import { readFile } from 'node:fs/promises'
import { ${Object.keys(library).join(', ')} } from '@counterfoil/signing'`

// Inside the package, so that Node finds the package by its name.
mkdirSync(join(import.meta.dirname, '../var'), { recursive: true })
const folder = mkdtempSync(join(import.meta.dirname, '../var/doc-comments-'))

beforeAll(() => {
  writeFileSync(join(folder, 'private.pem'), KEYS.private.pkcs8)
  writeFileSync(join(folder, 'public.pem'), KEYS.public.spki)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('doc comments', () => {
  it('have an example for every exported function, and each shows a result', () => {
    const functions = Object.entries(library).flatMap(([name, value]) => {
      return typeof value === 'function' ? [name] : []
    })
    expect(EXAMPLES.map(({ name }) => name)).toEqual(expect.arrayContaining(functions))
    for (const { source } of EXAMPLES) expect(source).toContain('// ')
  })

  it.each(EXAMPLES)('run: $name', async (example) => {
    await expect(runDocExample(example, { folder, prelude: PRELUDE })).resolves.toBe(undefined)
  })

  it('fail for an expression without the value that its comment says', async () => {
    const examples = ["percentEncode('a b') // 'a+b'", "percentEncode('a b')\n// 'a+b'"]
    for (const source of examples) {
      const running = runDocExample(
        { name: 'wrong', source: `${source}\n` },
        { folder, prelude: PRELUDE },
      )
      await expect(running).rejects.toThrow('AssertionError')
    }
  })
})
