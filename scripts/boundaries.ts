import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Visitor } from '@swc/core/Visitor.js'
import type { VariableDeclarator } from '@swc/core'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import config from '../.dependency-cruiser.mjs'
import { repositoryFiles } from './repository-files.ts'

/** The result of `findViolations`: the files it read, and a line for each import that breaks a rule. */
export interface Boundaries {
  readonly files: readonly string[]
  readonly violations: readonly string[]
}

// The tool's parser does not visit `using` declarations, so visit them like others.
// oxlint-disable-next-line typescript/unbound-method -- called below with its `this`
const visitStatement = Visitor.prototype.visitStatement
Visitor.prototype.visitStatement = function (this: Visitor, statement) {
  const { type, decls } = statement as unknown as { type: string; decls: VariableDeclarator[] }
  if (type !== 'UsingDeclaration') return visitStatement.call(this, statement)
  this.visitVariableDeclarators(decls)
  return statement
}

const FOLDERS = ['packages', 'bench', 'examples', 'scripts', 'test']

/**
 * Checks the imports of the repository at `root` against the rules of `.dependency-cruiser.mjs`.
 *
 * @throws if a TypeScript file was not read: without its parser the tool reads no file and passes
 */
export async function findViolations(root: string): Promise<Boundaries> {
  const folders = FOLDERS.filter((folder) => existsSync(join(root, folder)))
  const { output } = await cruise(folders, {
    ...config.options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: config.forbidden ?? [] },
  })
  if (typeof output === 'string') throw new Error('expected a result, not a text')

  const files = readFiles(output)
  const pattern = `{${FOLDERS.join(',')}}/**/*.ts`
  const unread = repositoryFiles(root, pattern).filter((file) => !files.includes(file))
  if (files.length === 0 || unread.length > 0) {
    throw new Error(`of these no import was read: ${unread.join(', ') || 'any file at all'}`)
  }
  return { files, violations: output.summary.violations.map(describe) }
}

if (import.meta.main) {
  const { files, violations } = await findViolations(join(import.meta.dirname, '..'))
  for (const violation of violations) console.error(violation)
  console.log(`${files.length} files read, ${violations.length} imports against the rules`)
  process.exitCode = violations.length > 0 ? 1 : 0
}

function readFiles(result: ICruiseResult): string[] {
  return result.modules.map((module) => module.source).filter((file) => file.endsWith('.ts'))
}

type Violation = ICruiseResult['summary']['violations'][number]

function describe({ rule, from, to, cycle }: Violation): string {
  const way = cycle ? cycle.map((step) => step.name).join(' -> ') : to
  return `${rule.name}: ${from} -> ${way}`
}
