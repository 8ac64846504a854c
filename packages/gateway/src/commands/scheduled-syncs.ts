import { Cron } from 'croner'
import { GatewayError, withoutCardNumber } from '@counterfoil/common'
import { type LedgerAccess, syncSource } from '@counterfoil/ledger'
import type { Config } from '../config/config.ts'
import type { Log } from '../observe/log.ts'
import { endStatements } from './command-ledger.ts'
import { syncOptionsOf } from './sync.ts'

/** How many reasons of refused rows a line of the log has, each with the key of its first row. */
const REASONS_LOGGED = 3

/**
 * Syncs the sources of a configuration now, and then on their schedules, in UTC. A sync that fails is logged.
 *
 * @returns a function that ends the sync that runs. The ledger has all of it or nothing.
 */
export function scheduleSyncs(config: Config, ledger: LedgerAccess, log: Log): () => Promise<void> {
  const closing = new AbortController()
  const running = new Set<Promise<void>>()
  const schedule = (pattern: string, source: string, isWhole: boolean): Cron => {
    return new Cron(pattern, { protect: true, timezone: 'UTC' }, async () => {
      const options = { source, isWhole, signal: closing.signal }
      const run = syncOne(config, options, ledger, log)
      running.add(run)
      await run.finally(() => running.delete(run))
    })
  }
  const usual = config.syncs.map((sync) => schedule(sync.schedule, sync.source, false))
  const whole = config.syncs.flatMap(({ source, compareAll }) => {
    return compareAll === undefined ? [] : [schedule(compareAll, source, true)]
  })
  const jobs = [...usual, ...whole]
  for (const job of usual) void job.trigger()
  return async () => {
    for (const job of jobs) job.stop()
    closing.abort()
    if (running.size > 0) await endStatements(ledger.engine).catch(() => {})
    await Promise.all(running)
  }
}

async function syncOne(
  config: Config,
  { source, isWhole, signal }: { source: string; isWhole: boolean; signal: AbortSignal },
  ledger: LedgerAccess,
  log: Log,
): Promise<void> {
  try {
    // The file is read anew, so that a change of the source needs no restart.
    const options = { ...syncOptionsOf(config, source), isWhole, signal }
    const { judged, keys, deleted, refused } = await syncSource(ledger, options)
    const taken = judged?.taken ?? 0
    if (taken + deleted + refused === 0) return
    const counts = `${taken} rows taken, ${deleted} deleted, ${refused} refused`
    const reasons = judged?.reasons.slice(0, REASONS_LOGGED).map(({ first, reason }) => {
      return `; ${withoutCardNumber(keys.get(first) ?? 'unknown')}: ${reason}`
    })
    const text = `sync of ${options.source.name}: ${counts}${reasons?.join('') ?? ''}`
    log[refused > 0 ? 'warn' : 'info'](text)
  } catch (error) {
    if (signal.aborted) return
    // What a database answers may have values of rows.
    const reason = error instanceof GatewayError ? error.message : String(error)
    log.error(`the sync of ${source} failed`, new Error(reason))
  }
}
