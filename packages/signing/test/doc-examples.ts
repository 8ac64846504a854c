import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The `@example` of a doc comment, with the name that the comment documents. */
export interface DocExample {
  readonly name: string
  readonly source: string
}

/** What the reader of an example has. */
export interface DocReader {
  /** The package of the examples. */
  readonly root: string
  /** Imports and constants. */
  readonly prelude: string
  /** Files beside each example. */
  readonly files?: Readonly<Record<string, string>>
}

const COMMENT =
  /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(?:export )?(?:async )?(?:function\*? |const |class )?(\w+)/g

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
 * Runs examples, each as a module in a folder of its own. One process runs them all, because a process takes much longer
 * to start than an example takes. Fails with the names of the examples that throw, or that have an expression without
 * the value that its comment says.
 *
 * @throws if an example fails
 */
export async function runDocExamples(
  examples: readonly DocExample[],
  { root, prelude, files = {} }: DocReader,
): Promise<void> {
  // Inside the package, so that Node finds the package by its name.
  mkdirSync(join(root, 'var'), { recursive: true })
  const folder = mkdtempSync(join(root, 'var/doc-comments-'))
  const modules = examples.map(({ name, source }, index) => {
    const checked = source.replaceAll(EXPECTATION, 'assert.deepEqual($1, $2)')
    const script = `import assert from 'node:assert/strict'\n${prelude}\n{\n${checked}}\n`
    const own = join(folder, String(index))
    mkdirSync(own)
    for (const [file, content] of Object.entries(files)) writeFileSync(join(own, file), content)
    const path = join(own, `${name}.ts`)
    writeFileSync(path, script)
    return path
  })
  writeFileSync(join(folder, 'run-all.mjs'), runAll(modules))
  try {
    await promisify(execFile)(process.execPath, ['run-all.mjs'], { cwd: folder })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A module that runs files one after the other, each in its folder, and fails if one of them does. */
function runAll(paths: readonly string[]): string {
  return `import { basename, dirname } from 'node:path'
let failed = 0
for (const path of ${JSON.stringify(paths)}) {
  process.chdir(dirname(path))
  await import(path).catch((error) => {
    failed += 1
    console.error(basename(path), error)
  })
}
if (failed > 0) process.exitCode = 1
`
}
