import type { Engine } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import { TRANSACTION_COLUMNS } from '../ledger/model.ts'
import { LIMITS } from '../limits.ts'
import type { Log } from '../observe/log.ts'
import type { DueEntry, Journal } from '../store/journal.ts'

/** Brings what the journal has to the ledger. */
export interface Bringer {
  /** Brings what was accepted before; resolves when the ledger has it, and throws as the engine does. */
  bring(): Promise<void>
  /** Brings no more by itself, and waits until what it is at is done. */
  close(): Promise<void>
}

/** What the bringer works with. */
export interface BringerParts {
  readonly journal: Pick<Journal, 'listDue' | 'markBrought' | 'bringAgain'>
  readonly engine: Pick<Engine, 'execute'>
  readonly log: Log
  readonly now: () => number
  /** Called when the ledger has something new. */
  readonly onBrought: () => void
}

/**
 * Starts to bring the journal's entries to the ledger as they become due, many at a time: first those that an earlier
 * gateway may not have brought. One that is brought twice is there once: the ledger keeps one row of a version.
 */
export async function startBringer(parts: BringerParts): Promise<Bringer> {
  await parts.journal.bringAgain(new Date(parts.now()))
  let running = Promise.resolve()
  let next: Promise<void> | undefined
  const begin = (): Promise<void> => {
    next = undefined
    const round = bringDue(parts)
    running = round.catch(() => {})
    return round
  }
  const bring = (): Promise<void> => {
    // A round that has begun may have missed what came since; all who ask meanwhile share the one after it.
    next ??= running.then(begin)
    return next
  }
  const timer = setInterval(() => {
    bring().catch((error: unknown) => parts.log.error('operations wait for the ledger', error))
  }, LIMITS.bringEveryMs)
  return {
    bring,
    close: async () => {
      clearInterval(timer)
      await next?.catch(() => {})
      await running
    },
  }
}

/**
 * Brings what is due by now. What comes meanwhile waits for the next round: each insert is a part of the ledger, which
 * takes memory until it is merged and cleared away, so that few large ones are better than many small ones.
 */
async function bringDue({ journal, engine, now, onBrought }: BringerParts): Promise<void> {
  const dueBy = new Date(now())
  const countMax = LIMITS.broughtAtOnceMax
  let entries: readonly DueEntry[]
  do {
    entries = await journal.listDue(dueBy, countMax)
    if (entries.length > 0) {
      await insert(engine, entries)
      onBrought()
      await journal.markBrought(entries, new Date(now()))
    }
  } while (entries.length === countMax)
}

const COLUMNS = Object.keys(TRANSACTION_COLUMNS).join(', ')
const STRUCTURE = Object.entries(TRANSACTION_COLUMNS)
  .map(([name, { type }]) => `${name} ${type}`)
  .join(', ')

// Rows are bound. Written into the statement they would end at the first empty line, and the rest would run as SQL.
const INSERT = `INSERT INTO transactions (${COLUMNS})
SELECT ${COLUMNS} FROM format(JSONEachRow, {structure:String}, {rows:String})`

async function insert(engine: BringerParts['engine'], entries: readonly DueEntry[]): Promise<void> {
  const rows = entries.map((entry) => entry.rows).join('\n')
  try {
    await engine.execute(INSERT, { structure: STRUCTURE, rows })
  } catch (error) {
    // What the engine says of a row that it does not take quotes it: a name, an address.
    if (!(error instanceof GatewayError) || error.code !== 'engine-failed') throw error
    const [first, last] = [entries[0]?.entryId, entries.at(-1)?.entryId]
    const message = `the ledger does not take one of the journal’s entries ${first} to ${last}`
    throw new GatewayError('engine-failed', message)
  }
}
