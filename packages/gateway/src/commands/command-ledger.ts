import type { Config } from '../config/config.ts'
import type { Engine } from '@counterfoil/engine'
import { createImports, type LedgerAccess, type LedgerChanges } from '@counterfoil/ledger'
import { importedLedger } from '../serve/open-engine.ts'
import { createSnapshots, type Snapshots } from './snapshots.ts'

/** The ledger as commands see it: in this process, or in a running gateway. */
export interface CommandLedger extends LedgerAccess {
  readonly snapshots: Snapshots
}

/** Opens an engine's ledger to commands. */
export function commandLedger(
  config: Config,
  engine: Engine,
  changes: LedgerChanges,
): CommandLedger {
  const imports = createImports(importedLedger(config, engine, changes))
  const snapshots = createSnapshots(config, engine, changes, imports)
  return { engine, imports, snapshots }
}
