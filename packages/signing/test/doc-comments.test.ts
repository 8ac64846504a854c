// @module-tag long

// Runs the `@example` blocks of the doc comments as a user would: against the package, by its name.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as library from '../src/index.ts'
import { readDocExamples, runDocExamples } from './doc-examples.ts'
import { KEYS } from './vectors.ts'

const root = join(import.meta.dirname, '..')
const EXAMPLES = readDocExamples(join(root, 'src'))
const PRELUDE = `import { readFile } from 'node:fs/promises'
import { ${Object.keys(library).join(', ')} } from '@counterfoil/signing'`

const FILES = { 'private.pem': KEYS.private.pkcs8, 'public.pem': KEYS.public.spki }

describe('doc comments', () => {
  it('have an example for every exported function, and each shows a result', () => {
    const functions = Object.entries(library).flatMap(([name, value]) => {
      return typeof value === 'function' ? [name] : []
    })
    expect(EXAMPLES.map(({ name }) => name)).toEqual(expect.arrayContaining(functions))
    for (const { source } of EXAMPLES) expect(source).toContain('// ')
  })

  it('run', async () => {
    const running = runDocExamples(EXAMPLES, { root, prelude: PRELUDE, files: FILES })
    await expect(running).resolves.toBe(undefined)
  })

  it('fail for an expression without the value that its comment says', async () => {
    const examples = [
      { name: 'right', source: "percentEncode('a b') // 'a%20b'\n" },
      { name: 'wrong', source: "percentEncode('a b') // 'a+b'\n" },
      { name: 'wrongBelow', source: "percentEncode('a b')\n// 'a+b'\n" },
    ]
    const running = runDocExamples(examples, { root, prelude: PRELUDE })
    const stderr = await running.catch((error: unknown) => String(error))
    expect(stderr).not.toContain('right.ts')
    expect(stderr).toContain('wrong.ts AssertionError')
    expect(stderr).toContain('wrongBelow.ts AssertionError')
  })
})
