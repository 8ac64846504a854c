// What a program takes that runs a gateway in its own process, or fills its ledger.
export { literal } from './clickhouse/literals.ts'
export { addConfigOption } from './commands/config-option.ts'
export { table } from './commands/table.ts'
export { waitForStopSignal } from './commands/wait-for-stop-signal.ts'
export { ignoreHangUp, withGateway } from './commands/with-gateway.ts'
export { withLedger } from './commands/with-ledger.ts'
export { type Config, ledgerFolder, loadConfig } from './config/config.ts'
export { type Engine, type Queries, readRows } from './engine/engine.ts'
export { GatewayError } from './errors.ts'
export { openEngine, requireEmbeddedEngine } from './open-engine.ts'
export { probePort } from './http/probe-port.ts'
export { controlKeyOf, makeControlKey, publicKeyOf } from './keys/credentials.ts'
export { openMasterKeys } from './keys/seal.ts'
export { FILTER_COLUMNS, HIERARCHY, ROLE_COLUMNS } from './ledger/hierarchy.ts'
export { migrateLedger } from './ledger/migrate-ledger.ts'
export { reloadNames } from './ledger/names.ts'
export {
  LEDGER_TABLES,
  type LedgerTable,
  STATUSES,
  TRANSACTION_COLUMNS,
  type TRANSACTION_TYPES,
} from './ledger/model.ts'
export { REASONS, type Reason, isFailed3ds, reasonsOf } from './ledger/reasons.ts'
export { type Log, createLog, openLogDestination } from './observe/log.ts'
export { createProgress } from './observe/progress.ts'
export { createEndpoints } from './payments/endpoints.ts'
export { SHIPPED_REPORTS } from './shipped-reports.ts'
export { openStore, storeFile } from './store/open-store.ts'
export type { Role, Store } from './store/store.ts'
