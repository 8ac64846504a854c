import { type Command, CommanderError } from 'commander'
import { loadConfig } from '../config/config.ts'
import { endOfTomorrow, type LedgerFault, readSeverities, verifyLedger } from '@counterfoil/ledger'
import { addConfigOption } from './config-option.ts'
import { table } from './table.ts'
import { withLedger } from './with-ledger.ts'

/** The exit code when rows break a rule that refuses them. */
const EXIT_FAULTY = 3

/** Adds `verify-ledger`, which checks the ledger by the rules of the import. */
export function addVerifyLedgerCommand(program: Command): void {
  const verify = program
    .command('verify-ledger')
    .summary('check the rows of the ledger by the rules of the import')
    .description(
      'Checks every transaction and statement of the ledger by the rules of the import, and prints each rule that rows ' +
        'break: the number of rows, the sum of their amounts, and the first ids. Changes nothing. A gateway may run.',
    )
  addConfigOption(verify)
    .addHelpText(
      'after',
      `
Exit codes:
  0  no row breaks a rule that refuses rows
  3  some rows do

Example:
  counterfoil-gateway verify-ledger --config gateway.yaml`,
    )
    .action(async (options: { config: string }) => {
      const config = loadConfig(options.config)
      const how = { severities: readSeverities(config.ledgerRules), tomorrowMs: endOfTomorrow() }
      const faults = await withLedger(config, async ({ engine }) => await verifyLedger(engine, how))
      console.log(faults.length === 0 ? 'No row breaks a rule.' : describeFaults(faults))
      if (faults.every(({ severity }) => severity === 'warn')) return
      throw new CommanderError(EXIT_FAULTY, 'verify-ledger.faulty', 'Some rows break a rule.')
    })
}

function describeFaults(faults: readonly LedgerFault[]): string {
  const lines = faults.map(({ name, severity, rows, sums, ids, sentence }) => {
    const amounts = sums.map(({ currency, sum }) => `${sum} ${currency}`).join(', ')
    return [name, severity, rows.toLocaleString('en-US'), amounts, ids.join(', '), sentence]
  })
  return table(['RULE', 'SEVERITY', 'ROWS', 'SUM', 'FIRST IDS', 'WHAT IT SAYS'], lines)
}
