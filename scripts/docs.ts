// `npm run docs` writes the pages and the sections of pages that are made from the sources.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MISTAKES, REFUSAL_STEPS } from '../packages/signing/src/index.ts'
import { fieldTables } from './field-tables.ts'
import { ledgerSections } from './ledger-tables.ts'
import { code, markdownTable } from './markdown.ts'
import { readReports, reportPage, reportTable } from './report-pages.ts'
import { repositoryFiles } from './repository-files.ts'

/** The folder of the pages of reports, with a list that is written by hand. */
const REPORTS = 'docs/reports'
const REPORT_LIST = `${REPORTS}/README.md`

/** Generates the pages, by their paths from the root of the repository. */
export function generatedPages(root: string): ReadonlyMap<string, string> {
  const templates = readReports(root)
  const withSections = (page: string, sections: Readonly<Record<string, string>>) => {
    let text = readFileSync(join(root, page), 'utf8')
    for (const [name, section] of Object.entries(sections)) {
      const between = new RegExp(`(?<=<!-- ${name} -->\\n)[^]*(?=<!-- /${name} -->)`)
      if (!between.test(text)) throw new Error(`${page} has no section ${name}`)
      text = text.replace(between, () => `${section}\n`)
    }
    return [page, text] as const
  }
  return new Map([
    ...templates.map((template) => {
      return [`${REPORTS}/${template.identifier}.md`, reportPage(template)] as const
    }),
    withSections(REPORT_LIST, { reports: reportTable(templates) }),
    withSections('docs/ledger.md', ledgerSections()),
    withSections('docs/sandbox.md', { fields: fieldTables() }),
    withSections('docs/mistakes.md', { mistakes: mistakeTable() }),
  ])
}

/** Returns the pages of reports that the repository has and no report file makes. */
export function outdatedPages(root: string, pages: ReadonlyMap<string, string>): readonly string[] {
  return repositoryFiles(root, `${REPORTS}/*.md`).filter((file) => !pages.has(file))
}

/** Generates the table of docs/mistakes.md, without the codes of refusals, which docs/signing.md lists. */
function mistakeTable(): string {
  const others = MISTAKES.filter(({ code: name }) => !(name in REFUSAL_STEPS))
  const rows = [...Map.groupBy(others, ({ fix }) => fix)].map(([fix, mistakes]) => {
    return [mistakes.map((mistake) => code(mistake.code)).join(', '), fix]
  })
  return markdownTable(['Code', 'Fix'], rows)
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const pages = generatedPages(root)
  for (const file of outdatedPages(root, pages)) rmSync(join(root, file))
  for (const [file, text] of pages) writeFileSync(join(root, file), text)
  console.log(`${pages.size} pages`)
}
