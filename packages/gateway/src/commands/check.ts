import { resolve } from 'node:path'
import type { Command } from 'commander'
import { loadCatalogue } from '@counterfoil/templates'
import { withEmptyLedger } from './with-empty-ledger.ts'
import { addGroup } from './config-option.ts'

/** Adds `check`, which checks a folder of report files as the gateway does. */
export function addCheckCommand(program: Command): void {
  addGroup(program, 'check', {
    summary: 'check report files',
    description:
      'Checks every report file of a folder, as the gateway does at its start. Prints each fault with its file and ' +
      'line, and ends with 1 if there is one. The command needs no gateway and does not disturb one.',
    examples: ['check reports'],
  })
    .argument('[folder]', 'folder of the report files', 'reports')
    .action(async (folder: string) => {
      const { reports } = await withEmptyLedger((engine) => loadCatalogue(resolve(folder), engine))
      for (const { template } of reports.values()) {
        console.log(`${template.identifier}: ${counted(template.columns.length, 'column')}`)
      }
      console.log(`Nothing is wrong with ${counted(reports.size, 'report')}.`)
    })
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
