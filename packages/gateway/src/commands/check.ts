import { resolve } from 'node:path'
import type { Command } from 'commander'
import { loadCatalogue } from '../templates/load-templates.ts'
import { withEmptyLedger } from './with-empty-ledger.ts'

/** Adds `check`: tells whether a gateway would take a folder of report files. */
export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description(
      'check a folder of report files as a gateway does before it serves them; one may run meanwhile',
    )
    .argument('[folder]', 'where the report files are', 'reports')
    .action(async (folder: string) => {
      const { reports } = await withEmptyLedger((engine) => loadCatalogue(resolve(folder), engine))
      for (const { template } of reports.values()) {
        console.log(`${template.identifier}: ${template.columns.length} columns`)
      }
      console.log(`Nothing is wrong with ${reports.size} report${reports.size > 1 ? 's' : ''}.`)
    })
}
