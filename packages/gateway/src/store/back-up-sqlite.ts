import { backup, DatabaseSync } from 'node:sqlite'

/** Copies the store in a SQLite file to a new file. Other processes may write to the store meanwhile. */
export async function backUpSqlite(file: string, target: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    await backup(database, target)
  } finally {
    database.close()
  }
}
