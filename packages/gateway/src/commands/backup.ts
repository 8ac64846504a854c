import { existsSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, loadConfig } from '../config/config.ts'
import { diskFault } from '../engine/disk-fault.ts'
import { GatewayError } from '../errors.ts'
import { requireEmbeddedEngine } from '../open-engine.ts'
import { addConfigOption } from './config-option.ts'
import { BACKUP } from './snapshots.ts'
import { withLedger } from './with-ledger.ts'

/** Adds `backup`, which copies the ledger and the store to another folder. */
export function addBackupCommand(program: Command): void {
  const backup = program
    .command('backup')
    .summary('copy the ledger and the store to a folder')
    .description(
      'Copies the ledger and the store, both of the same moment, to a new folder. The gateway may run. The folder has ' +
        'the structure of dataDir: to restore it, put it in the place of dataDir. The backup lacks the configuration, the ' +
        'master keys and a store in PostgreSQL. A ledger on ClickHouse servers has backups of its own.',
    )
    .argument('<folder>', 'new folder of the backup')
  addConfigOption(backup)
    .addHelpText(
      'after',
      '\nExample:\n  counterfoil-gateway backup /backup/2026-11-22 --config gateway.yaml',
    )
    .action(async (folder: string, options: { config: string }) => {
      const config = loadConfig(options.config)
      await backUp(config, resolve(folder))
      const copied = config.store ? 'the ledger' : 'the ledger and the store'
      console.log(`Backed up ${copied} to ${folder}.`)
      if (!config.store) return
      console.error('The store is in PostgreSQL and not in this backup. Back it up with pg_dump.')
    })
}

async function backUp(config: Config, folder: string): Promise<void> {
  requireEmbeddedEngine(config)
  if (existsSync(folder)) throw new GatewayError('ledger', `${folder}: expected a new folder`)
  // An incomplete backup never has the name of a complete one.
  const partial = `${folder}.partial`
  await rm(partial, { recursive: true, force: true })
  await withLedger(config, async ({ snapshots }) => {
    const snapshot = await snapshots.take()
    try {
      await cp(snapshot, partial, { recursive: true, verbatimSymlinks: true })
    } catch (error) {
      await rm(partial, { recursive: true, force: true })
      throw diskFault(dirname(folder), error, BACKUP) ?? error
    } finally {
      await snapshots.drop()
    }
  })
  await rename(partial, folder)
}
