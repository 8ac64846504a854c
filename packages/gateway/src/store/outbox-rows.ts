import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import type { AcceptedOperation, DueEntry } from './outbox.ts'

const numberRow = z.object({ last: z.int().max(LIMITS.ordersMax) }).transform(({ last }) => last)

const countRow = z
  .object({ operations: z.int(), of_day: z.int() })
  .transform(({ operations, of_day: ofDay }) => ({ operations, ofDay }))

const entryIdRow = z.object({ entry_id: z.int() }).transform(({ entry_id: id }) => id)

const noOperationRow = z.object({ fields_hash: z.null() })

const keyVersionRow = z
  .object({ key_version: z.int() })
  .transform(({ key_version: version }) => version)

const operationRow = z
  .object({ fields_hash: z.string(), key_version: z.int(), answer: z.string() })
  .transform(
    (row): AcceptedOperation => ({
      fieldsHash: row.fields_hash,
      keyVersion: row.key_version,
      answer: row.answer,
    }),
  )

const entryRow = z
  .object({ entry_id: z.int(), due_at: z.int(), rows: z.string() })
  .transform(
    (row): DueEntry => ({ entryId: row.entry_id, dueAt: new Date(row.due_at), rows: row.rows }),
  )

/** The number of an order from a row of the database; throws above the maximum. */
export function readNumber(row: unknown): number {
  return numberRow.parse(row)
}

/** The numbers of a login's operations, of all and of this day, from a row of the database. */
export function readCounts(row: unknown): z.output<typeof countRow> {
  return countRow.parse(row)
}

/** The largest id of an entry from rows of the database; nothing if there are no rows. */
export function readLastEntryId(rows: readonly unknown[]): number | undefined {
  const ids = rows.map((row) => entryIdRow.parse(row))
  return ids.length === 0 ? undefined : Math.max(...ids)
}

/** The version of a master key from a row of the database. */
export function readKeyVersion(row: unknown): number {
  return keyVersionRow.parse(row)
}

/** An accepted operation from a row of the database. */
export function readOperation(row: unknown): AcceptedOperation {
  return operationRow.parse(row)
}

/** The operation from a row of `begin_operation`, if there is one. */
export function findOperation(row: unknown): AcceptedOperation | undefined {
  return noOperationRow.safeParse(row).success ? undefined : operationRow.parse(row)
}

/** A due entry from a row of the database. */
export function readDueEntry(row: unknown): DueEntry {
  return entryRow.parse(row)
}
