// `npm run docs:conformance` writes the section "Checks" of docs/conformance.md from the checks of the command.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SUBJECTS } from '../packages/counterfoil/src/conformance/checks/checks.ts'
import type { Check, Level } from '../packages/counterfoil/src/conformance/check.ts'
import { code, markdownTable } from './markdown-table.ts'

/** The page with the section, from the root of the repository. */
const PAGE = 'docs/conformance.md'
const SECTION = /(?<=<!-- checks -->\n)[^]*(?=<!-- \/checks -->)/

/** The section as it is in the repository at `root`, and as the checks generate it. */
export function conformanceChecks(root: string): {
  readonly written: string
  readonly made: string
} {
  const [written = ''] = SECTION.exec(readFileSync(join(root, PAGE), 'utf8')) ?? []
  const rows = SUBJECTS.map(({ name, checks }) => {
    return [name, idsOf(checks, 'must'), idsOf(checks, 'should')]
  })
  return { written, made: `${markdownTable(['Subject', 'Must', 'Should'], rows)}\n` }
}

/** Lists the names of the checks that have a level. */
function idsOf(checks: readonly Check[], level: Level): string {
  const chosen = checks.filter((check) => check.level === level)
  return chosen.map(({ id }) => code(id)).join(', ')
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const { made } = conformanceChecks(root)
  const page = readFileSync(join(root, PAGE), 'utf8')
  writeFileSync(
    join(root, PAGE),
    page.replace(SECTION, () => made),
  )
  const checks = SUBJECTS.flatMap((subject) => subject.checks)
  console.log(`${checks.length} checks in ${PAGE}`)
}
