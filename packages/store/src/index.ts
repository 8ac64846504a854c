// Keeps logins, keys, nonces, operations, runs and view sessions, in SQLite or PostgreSQL.

export { copyStore } from './database/copy-store.ts'
export { holdSqlite, type SqliteMoment } from './database/sqlite-database.ts'
export {
  checkMasterKeys,
  controlKeyOf,
  makeControlKey,
  type OpenKey,
  openKeys,
  publicKeyOf,
} from './keys/credentials.ts'
export { type MasterKeys, type MasterKeySource, openMasterKeys, seal, unseal } from './keys/seal.ts'
export type { Login, LoginWithKeys, StoredKey } from './store/login-store.ts'
export { hasStore, leftStoreFile, openStore, storeFile } from './store/open-store.ts'
export type {
  DueEntry,
  IdempotencyKey,
  OperationMaxima,
  Outbox,
  OutboxEntry,
} from './store/outbox.ts'
export type {
  ListedRun,
  ListedRuns,
  RunStore,
  SigningKeyStore,
  StoredRun,
  StoredSigningKey,
} from './store/run-store.ts'
export type { Store } from './store/store.ts'
export type { ViewSession } from './store/view-session-store.ts'
