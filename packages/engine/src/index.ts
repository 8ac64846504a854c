// Runs queries on a ClickHouse server, or on one that it starts; and its SQL dialect.

export {
  COLUMN_KINDS,
  type ColumnKind,
  DATE_FORMATS,
  type DateFormat,
  isFreeText,
  type ValueStyle,
} from './dialect/column-kinds.ts'
export { CHECKED_TIMEZONE, expectedOfAxis, expectedOfKind } from './dialect/column-types.ts'
export { exponentOf, USUAL_EXPONENT } from './dialect/currency-exponent.ts'
export { JSON_SETTINGS, jsonObject } from './dialect/json-columns.ts'
export { literal, literals } from './dialect/literals.ts'
export { hashed, printed, printedAmount, printedExactly } from './dialect/print-columns.ts'
export {
  SELECT_SETTINGS,
  type Settings,
  settingsClause,
  subSelectSettings,
} from './dialect/settings.ts'
export {
  CELL_LENGTH_MAX,
  type CellStyles,
  HARD_TEXT,
  NUMBER_DIGITS_MAX,
  type SheetCell,
  sheetCell,
  summand,
} from './dialect/sheet-cells.ts'
export { tableFilters } from './dialect/table-filters.ts'
export { DECIMAL_DIGITS, FRACTION_DIGITS, typed } from './dialect/typed-columns.ts'
export { diskFault } from './engine/disk-fault.ts'
export { clickHouseCode } from './engine/engine-failure.ts'
export { engineFingerprint } from './own-server/engine-fingerprint.ts'
export {
  type Engine,
  type EngineChunk,
  type EngineQuery,
  type EngineValue,
  type Queries,
  readNumber,
  readRows,
} from './engine/engine.ts'
export { openHttpEngine } from './http/http-engine.ts'
export { type ServerAddress, serverAt } from './http/server-source.ts'
export { openOwnEngine } from './own-server/own-engine.ts'
