import { type Command, InvalidArgumentError } from 'commander'
import { loadConfig } from '../config/config.ts'
import { undoImport } from '@counterfoil/ledger'
import { requireOneServer } from '../serve/open-engine.ts'
import { withLedger } from './with-ledger.ts'

/** Adds `import undo`. */
export function addUndoCommand(importing: Command): void {
  importing
    .command('undo')
    .summary('undo an import')
    .description(
      'Removes the rows that an import wrote, and brings back the rows that it replaced. Changes nothing if a later ' +
        'import or deletion changed one of its rows. "counterfoil-gateway status" shows the ids of the newest imports. The ' +
        'command needs --config FILE.',
    )
    .argument('<id>', 'id of the import', readImportId)
    .addHelpText('after', '\nExample:\n  counterfoil-gateway import undo 7 --config gateway.yaml')
    // The options belong to `import`.
    .action(async (id: number, _: unknown, command: Command) => {
      const flags = command.optsWithGlobals<{ config: string; intoClosed?: true }>()
      const config = loadConfig(flags.config)
      const closedBefore = flags.intoClosed ? undefined : config.ledgerClosedBefore
      requireOneServer(config)
      const undone = await withLedger(config, async (ledger) => {
        return await undoImport(ledger, id, closedBefore)
      })
      const { taken, replaced, table, importedAt } = undone
      const counts = `${taken.toLocaleString('en-US')} rows of ${table}`
      const back = `${replaced.toLocaleString('en-US')} replaced rows are back`
      console.log(`Undid import ${id} of ${importedAt}: removed ${counts}, and ${back}.`)
    })
}

function readImportId(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected the number of an import')
}
