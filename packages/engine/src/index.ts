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
export { literal, literals } from './dialect/literals.ts'
export {
  exponentOf,
  hashed,
  printed,
  printedAmount,
  printedExactly,
  USUAL_EXPONENT,
} from './dialect/print-columns.ts'
export {
  SELECT_SETTINGS,
  type Settings,
  settingsClause,
  subSelectSettings,
  tableFilters,
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
export {
  DECIMAL_DIGITS,
  FRACTION_DIGITS,
  JSON_SETTINGS,
  jsonObject,
  typed,
} from './dialect/typed-columns.ts'
export { clickHouseCode, diskFault } from './engine/failures.ts'
export { engineFingerprint } from './own-server/own-server.ts'
export {
  type Engine,
  type EngineChunk,
  type EngineQuery,
  type EngineValue,
  type Queries,
  readNumber,
  readRows,
  type ServerAddress,
  serverAt,
} from './engine/engine.ts'
export { openHttpEngine } from './http/http-engine.ts'
export { openOwnEngine } from './own-server/own-engine.ts'
