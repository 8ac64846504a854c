// The tables of transactions: their model, rules and changes, and the import.

export { copyLedger } from './changes/copy-ledger.ts'
export { LedgerChanges } from './changes/ledger-changes.ts'
export { readRevision } from './changes/read-revision.ts'
export { snapshotLedger } from './changes/snapshot-ledger.ts'
export { importFiles, type ImportOptions } from './import/import-files.ts'
export {
  type ImportRecord,
  importRecordSchema,
  type ListedImport,
  listImports,
} from './import/import-records.ts'
export type { ImportStep } from './import/compare-with-ledger.ts'
export type { JudgedRows } from './import/judge-rows.ts'
export type { SampledRow } from './import/read-result.ts'
export {
  createImports,
  type ImportedLedger,
  type Imports,
  type LedgerAccess,
  recoverImports,
  whileImporting,
} from './import/imports.ts'
export { guessSource, lookAtFile, lookAtTable } from './import/source/guess-source.ts'
export { readSource, type Source } from './import/source/source.ts'
export { LINES_PER_FILE } from './import/source/stage-file.ts'
export { countRowsToDelete, deleteRows, undoImport } from './import/undo-and-delete.ts'
export { FILTER_COLUMNS, HIERARCHY, ROLE_COLUMNS } from './model/hierarchy.ts'
export { migrateLedger, readLedgerId } from './model/migrate-ledger.ts'
export {
  isLedgerTable,
  LEDGER_TABLES,
  type LedgerTable,
  STATUSES,
  TRANSACTION_COLUMNS,
  TRANSACTION_TYPES,
} from './model/model.ts'
export { dropUnusedNames, RELOAD_NAMES, REPORT_COLUMNS } from './model/names.ts'
export { isFailed3ds, type Reason, REASONS, reasonsOf } from './model/reasons.ts'
export { endOfTomorrow } from './rules/broken-rows.ts'
export { readSeverities } from './rules/rules.ts'
export { listSyncs, type SyncRecord } from './sync/sync-records.ts'
export { type DatabaseSource, type SyncOptions, syncSource, trySync } from './sync/sync-source.ts'
export { type LedgerFault, verifyLedger } from './rules/verify-ledger.ts'
