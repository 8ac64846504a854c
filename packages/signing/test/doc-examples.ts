import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The `@example` of a doc comment, with the name that the comment documents. */
export interface DocExample {
  readonly name: string
  readonly source: string
}

const COMMENT =
  /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(?:export )?(?:async )?(?:function |const |class )?(\w+)/g

/** An expression, and its value in a comment behind it or on the next line. */
const EXPECTATION = /^(?!const )([A-Za-z].*?)(?: |\n)\/\/ (.+)$/gm

/** Reads the examples in the sources of a folder and of the folders in it. */
export function readDocExamples(folder: string): readonly DocExample[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names.filter((file) => /(?<!\.test)\.ts$/.test(file))
  return files.flatMap((file) => {
    const comments = readFileSync(join(folder, file), 'utf8').matchAll(COMMENT)
    return Array.from(comments, ([, comment = '', name = '']) => {
      const [, source = ''] = comment.replaceAll(/^ *\* ?/gm, '').split('@example\n')
      return { name, source }
    }).filter(({ source }) => source !== '')
  })
}

/**
 * Runs an example as a module in a folder. Fails if it throws, or if an expression does not have the value that its
 * comment says.
 *
 * @param prelude what the reader of the example has: imports and constants
 */
export async function runDocExample(
  { name, source }: DocExample,
  { folder, prelude }: { readonly folder: string; readonly prelude: string },
): Promise<void> {
  const checked = source.replaceAll(EXPECTATION, 'assert.deepEqual($1, $2)')
  const script = `import assert from 'node:assert/strict'\n${prelude}\n{\n${checked}}\n`
  writeFileSync(join(folder, `${name}.ts`), script)
  await promisify(execFile)(process.execPath, [`${name}.ts`], { cwd: folder })
}
