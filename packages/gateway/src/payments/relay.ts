import type { Queries } from '@counterfoil/engine'
import { GatewayError, LIMITS } from '@counterfoil/common'
import { TRANSACTION_COLUMNS } from '@counterfoil/ledger'
import type { Log } from '../observe/log.ts'
import type { DueEntry, Outbox } from '@counterfoil/store'

/** Inserts the entries of the outbox into the ledger. */
export type Relay = Awaited<ReturnType<typeof startRelay>>

interface RelayDependencies {
  readonly outbox: Pick<Outbox, 'listDue' | 'markRelayed' | 'makeDueAgain'>
  readonly insert: Queries['execute']
  readonly log: Log
  readonly now: () => number
  readonly onRelayed: () => void
}

/**
 * Starts to relay entries in batches as they become due. The relay begins with the entries that an earlier gateway
 * relayed last, because the ledger may have lost them. A second insert writes nothing that the ledger has.
 */
export async function startRelay(dependencies: RelayDependencies) {
  await dependencies.outbox.makeDueAgain(new Date(dependencies.now()))
  let running = Promise.resolve()
  let next: Promise<void> | undefined
  const begin = (): Promise<void> => {
    next = undefined
    const round = relayDue(dependencies)
    running = round.catch(() => {})
    return round
  }
  const flush = (): Promise<void> => {
    // A running round may have missed the newest entries. All callers in the meantime share the round after it.
    next ??= running.then(begin)
    return next
  }
  const timer = setInterval(() => {
    flush().catch((error: unknown) => {
      dependencies.log.error('The relay failed. Accepted operations wait in the outbox', error)
    })
  }, LIMITS.relayEveryMs)
  return {
    /** Relays every entry that is due. Resolves when the ledger has them, and throws the engine's errors. */
    flush,
    /** Stops the timer, and waits for running rounds and for the round that a flush waits for. */
    close: async (): Promise<void> => {
      clearInterval(timer)
      await next?.catch(() => {})
      await running
    },
  }
}

/**
 * Relays the entries that are due now. Entries that become due meanwhile wait for the next round: each insert makes a
 * part of the ledger, which takes memory until the engine merges it. A few large parts take less than many small ones.
 */
async function relayDue({ outbox, insert, now, onRelayed }: RelayDependencies): Promise<void> {
  const dueBy = new Date(now())
  const countMax = LIMITS.relayBatchEntriesMax
  let entries: readonly DueEntry[]
  do {
    entries = await outbox.listDue(dueBy, countMax)
    for (const batch of batchesOf(entries)) {
      await insertEntries(insert, batch)
      onRelayed()
      await outbox.markRelayed(batch, new Date(now()))
    }
  } while (entries.length === countMax)
}

/** Cuts entries into batches: an insert of 5,000 entries with the longest texts takes 900 MB. */
function* batchesOf(entries: readonly DueEntry[]): Generator<readonly DueEntry[]> {
  let batch: DueEntry[] = []
  let bytes = 0
  for (const entry of entries) {
    const added = Buffer.byteLength(entry.rows)
    if (batch.length > 0 && bytes + added > LIMITS.relayBatchBytesMax) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(entry)
    bytes += added
  }
  if (batch.length > 0) yield batch
}

const COLUMNS = Object.keys(TRANSACTION_COLUMNS).join(', ')
const STRUCTURE = Object.entries(TRANSACTION_COLUMNS)
  .map(([name, { type }]) => `${name} ${type}`)
  .join(', ')

const KEY = 'merchant_id, created_at, transaction_id'

// Rows are a bound parameter. Inside the statement they would end at the first empty line, and the rest would be SQL.
const ROWS = 'format(JSONEachRow, {structure:String}, {rows:String})'

// A version that the ledger has already would get another `loaded_at`, and `changedSince` would show it again.
const INSERT = `INSERT INTO transactions (${COLUMNS})
SELECT ${COLUMNS} FROM ${ROWS}
WHERE (${KEY}, row_version) NOT IN (
  SELECT ${KEY}, row_version FROM transactions WHERE (${KEY}) IN (SELECT ${KEY} FROM ${ROWS})
)
SETTINGS use_index_for_in_with_subqueries = 1, max_execution_time = ${LIMITS.relayInsertMs / 1000}`

async function insertEntries(
  insert: RelayDependencies['insert'],
  entries: readonly DueEntry[],
): Promise<void> {
  const rows = entries.map((entry) => entry.rows).join('\n')
  try {
    await insert(INSERT, { structure: STRUCTURE, rows })
  } catch (error) {
    // The engine's message about a refused row quotes the row, which may hold a name or an address.
    if (!(error instanceof GatewayError) || error.code !== 'engine-failed') throw error
    const [first, last] = [entries[0]?.entryId, entries.at(-1)?.entryId]
    const message = `The ledger refuses one of the outbox entries ${first} to ${last}.`
    throw new GatewayError('engine-failed', message)
  }
}
