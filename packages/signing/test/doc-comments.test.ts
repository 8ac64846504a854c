// @module-tag long

// Runs the `@example` blocks of the doc comments as a user would: against the package, by its name.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as library from '../src/index.ts'
import { readDocExamples, runDocExamples } from './doc-examples.ts'
import { KEYS } from './vectors.ts'

const EXAMPLES = readDocExamples(join(import.meta.dirname, '../src'))
const PRELUDE = `import { readFile } from 'node:fs/promises'
import { ${Object.keys(library).join(', ')} } from '@counterfoil/signing'`

const FILES = { 'private.pem': KEYS.private.pkcs8, 'public.pem': KEYS.public.spki }

// Inside the package, so that Node finds the package by its name.
const VAR = join(import.meta.dirname, '../var')

let folder = ''
beforeEach(() => {
  mkdirSync(VAR, { recursive: true })
  folder = mkdtempSync(join(VAR, 'doc-comments-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('doc comments', () => {
  it('have an example for every exported function, and each shows a result', () => {
    const functions = Object.entries(library).flatMap(([name, value]) => {
      return typeof value === 'function' ? [name] : []
    })
    expect(EXAMPLES.map(({ name }) => name)).toEqual(expect.arrayContaining(functions))
    for (const { source } of EXAMPLES) expect(source).toContain('// ')
  })

  it('run', async () => {
    const running = runDocExamples(EXAMPLES, { folder, prelude: PRELUDE, files: FILES })
    await expect(running).resolves.toBe(undefined)
  })

  it('fail for an expression without the value that its comment says', async () => {
    const examples = [
      { name: 'right', source: "percentEncode('a b') // 'a%20b'\n" },
      { name: 'wrong', source: "percentEncode('a b') // 'a+b'\n" },
      { name: 'wrongBelow', source: "percentEncode('a b')\n// 'a+b'\n" },
    ]
    const running = runDocExamples(examples, { folder, prelude: PRELUDE })
    const stderr = await running.catch((error: unknown) => String(error))
    expect(stderr).not.toContain('right.ts')
    expect(stderr).toContain('wrong.ts AssertionError')
    expect(stderr).toContain('wrongBelow.ts AssertionError')
  })
})
