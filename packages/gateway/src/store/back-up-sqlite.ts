import { backup, DatabaseSync } from 'node:sqlite'

const PAGES_MAX = 2 ** 31 - 1

/** Copies the store in a SQLite file to a new file. Other processes may write to the store meanwhile. */
export async function backUpSqlite(file: string, target: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    // All pages in one step: after a write of another process, SQLite would begin again with the next step.
    await backup(database, target, { rate: PAGES_MAX })
  } finally {
    database.close()
  }
}
