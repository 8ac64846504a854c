import { Cron } from 'croner'
import { GatewayError } from '@counterfoil/common'
import { type LedgerAccess, syncSource } from '@counterfoil/ledger'
import type { Config } from '../config/config.ts'
import type { Log } from '../observe/log.ts'
import { endStatements } from './serve-ledger.ts'
import { syncOptionsOf } from './sync.ts'

/** The syncs of a gateway that serves. */
export interface ScheduledSyncs {
  /** Ends the sync that runs. The ledger has all of it or nothing. */
  close(): Promise<void>
}

/** Syncs the sources of a configuration now, and then on their schedules, in UTC. A sync that fails is logged. */
export function scheduleSyncs(config: Config, ledger: LedgerAccess, log: Log): ScheduledSyncs {
  const closing = new AbortController()
  const running = new Set<Promise<void>>()
  const jobs = config.syncs.map(({ source, schedule }) => {
    return new Cron(schedule, { protect: true, timezone: 'UTC' }, async () => {
      const run = syncOne(config, source, ledger, closing.signal, log)
      running.add(run)
      await run.finally(() => running.delete(run))
    })
  })
  for (const job of jobs) void job.trigger()
  return {
    close: async () => {
      for (const job of jobs) job.stop()
      closing.abort()
      if (running.size > 0) await endStatements(ledger.engine).catch(() => {})
      await Promise.all(running)
    },
  }
}

async function syncOne(
  config: Config,
  file: string,
  ledger: LedgerAccess,
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  try {
    // The file is read anew, so that a change of the source needs no restart.
    const options = { ...syncOptionsOf(config, file), signal }
    const { judged, deleted, refused } = await syncSource(ledger, options)
    const taken = judged?.taken ?? 0
    if (taken + deleted + refused === 0) return
    const counts = `${taken} rows taken, ${deleted} deleted, ${refused} refused`
    log[refused > 0 ? 'warn' : 'info'](`sync of ${options.source.name}: ${counts}`)
  } catch (error) {
    if (signal.aborted) return
    // What a database answers may have values of rows.
    const reason = error instanceof GatewayError ? error.message : String(error)
    log.error(`the sync of ${file} failed`, new Error(reason))
  }
}
