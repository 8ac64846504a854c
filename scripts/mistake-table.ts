// `npm run docs:mistakes` writes the table of docs/mistakes.md from the mistakes that `diagnose` names.
// It leaves out the codes of refusals, which docs/signing.md lists.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MISTAKES, REFUSAL_STEPS } from '../packages/signing/src/index.ts'
import { code, markdownTable } from './markdown-table.ts'

/** The page with the table, from the root of the repository. */
const PAGE = 'docs/mistakes.md'
const TABLE = /(?<=<!-- mistakes -->\n)[^]*(?=<!-- \/mistakes -->)/

/** The table as it is in the repository at `root`, and as the mistakes generate it. */
export function mistakeTable(root: string): { readonly written: string; readonly made: string } {
  const [written = ''] = TABLE.exec(readFileSync(join(root, PAGE), 'utf8')) ?? []
  const others = MISTAKES.filter(({ code: name }) => !(name in REFUSAL_STEPS))
  const rows = [...Map.groupBy(others, ({ fix }) => fix)].map(([fix, mistakes]) => {
    return [mistakes.map((mistake) => code(mistake.code)).join(', '), fix]
  })
  return { written, made: `${markdownTable(['Code', 'Fix'], rows)}\n` }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const { made } = mistakeTable(root)
  const page = readFileSync(join(root, PAGE), 'utf8')
  writeFileSync(
    join(root, PAGE),
    page.replace(TABLE, () => made),
  )
  console.log(`${MISTAKES.length} mistakes in ${PAGE}`)
}
