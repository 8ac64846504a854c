import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { codeOf, GatewayError } from '@counterfoil/common'
import { diskFault } from '@counterfoil/engine'
import { storeFile } from '@counterfoil/store'
import type { Config } from '../config/config.ts'
import { requireEmbeddedEngine } from '../serve/open-engine.ts'
import { argument, command, CONFIG } from './command.ts'
import { BACKUP_WORK } from './command-ledger.ts'
import { withLedger } from './with-ledger.ts'

export const BACKUP = command({
  name: 'backup',
  summary: 'copy the ledger and the store to a folder',
  description:
    'Copies the ledger and the store, both of the same moment, to a new folder. The gateway may run. The folder has ' +
    'the structure of dataDir: to restore it, put it in the place of dataDir. The backup lacks the configuration, the ' +
    'master keys and a store in PostgreSQL. A ledger on ClickHouse servers has backups of its own.',
  examples: ['backup /backup/2026-11-22 --config gateway.yaml'],
  takes: { config: CONFIG, folder: argument('<folder>', 'new folder of the backup') },
  run: async ({ config, folder }) => {
    await backUp(config, resolve(folder))
    const hasStore = existsSync(storeFile({ dataDir: resolve(folder) }))
    const copied = hasStore ? 'the ledger and the store' : 'the ledger'
    console.log(`Backed up ${copied} to ${folder}.`)
    if (!config.store) return
    console.error('The store is in PostgreSQL and not in this backup. Back it up with pg_dump.')
  },
})

async function backUp(config: Config, folder: string): Promise<void> {
  requireEmbeddedEngine(config)
  if (existsSync(folder)) throw new GatewayError('ledger', `${folder}: expected a new folder`)
  // An incomplete backup never has the name of a complete one.
  const partial = `${folder}.partial`
  await makePartial(partial)
  try {
    await withLedger(config, async ({ snapshots }) => {
      const snapshot = await snapshots.take()
      try {
        await cp(snapshot, partial, { recursive: true, verbatimSymlinks: true })
      } catch (error) {
        throw diskFault(dirname(folder), error, BACKUP_WORK) ?? error
      } finally {
        await snapshots.drop()
      }
    })
    await rename(partial, folder)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

/** Makes the folder of an incomplete backup. Never uses or removes a folder that this command did not make. */
async function makePartial(partial: string): Promise<void> {
  await mkdir(dirname(partial), { recursive: true })
  try {
    await mkdir(partial, { mode: 0o700 })
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw diskFault(dirname(partial), cause, BACKUP_WORK) ?? cause
    const advice = 'If no other backup runs, delete it. Otherwise, name another folder'
    throw new GatewayError('ledger', `${partial} exists. ${advice}`, { cause })
  }
}
