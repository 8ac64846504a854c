// `npm run docs` writes the pages and the sections of pages that are made from the sources.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fieldTables } from './field-tables.ts'
import { ledgerPage } from './ledger-page.ts'
import { mistakeTable } from './mistake-table.ts'
import { reportPages } from './report-pages.ts'
import { repositoryFiles } from './repository-files.ts'

/** The folder that has generated pages only. */
const REPORTS = 'docs/reports'

/** Generates the pages, by their paths from the root of the repository. */
export function generatedPages(root: string): ReadonlyMap<string, string> {
  const withSection = (page: string, name: string, section: string): readonly [string, string] => {
    const between = new RegExp(`(?<=<!-- ${name} -->\\n)[^]*(?=<!-- /${name} -->)`)
    const text = readFileSync(join(root, page), 'utf8')
    if (!between.test(text)) throw new Error(`${page} has no section ${name}`)
    return [page, text.replace(between, () => `${section}\n`)]
  }
  return new Map([
    ...[...reportPages(root)].map(([name, text]) => [`${REPORTS}/${name}`, text] as const),
    ['docs/ledger.md', ledgerPage()],
    withSection('docs/sandbox.md', 'fields', fieldTables()),
    withSection('docs/mistakes.md', 'mistakes', mistakeTable()),
  ])
}

/** Returns the pages of reports that the repository has and no report file makes. */
export function outdatedPages(root: string, pages: ReadonlyMap<string, string>): readonly string[] {
  return repositoryFiles(root, `${REPORTS}/*.md`).filter((file) => !pages.has(file))
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const pages = generatedPages(root)
  for (const file of outdatedPages(root, pages)) rmSync(join(root, file))
  for (const [file, text] of pages) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  console.log(`${pages.size} pages`)
}
