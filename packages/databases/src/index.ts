// Reads the operator's databases for syncs.

export { listTables, openDatabase } from './open-database.ts'
export type { DatabaseSettings, SourceDatabase } from './source-database.ts'
