import { backup, DatabaseSync } from 'node:sqlite'

const PAGES_MAX = 2 ** 31 - 1

/** The store in a SQLite file at one moment. */
export interface SqliteMoment {
  /** Copies the store of that moment to a new file. Other processes may write to the store meanwhile. */
  copy(target: string): Promise<void>
  close(): void
}

/** Holds this moment of a SQLite file. Close it soon, because the write-ahead log grows until then. */
export function holdSqlite(file: string): SqliteMoment {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    // The transaction begins with its first read.
    database.exec('BEGIN; SELECT 1 FROM sqlite_schema')
  } catch (error) {
    database.close()
    throw error
  }
  return {
    copy: async (target) => {
      // All pages in one step, on the connection whose transaction reads the moment.
      await backup(database, target, { rate: PAGES_MAX })
    },
    close: () => database.close(),
  }
}
