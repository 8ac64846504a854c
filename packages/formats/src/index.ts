// Writes the files of reports: CSV, XLSX, PDF, JSON lines, Parquet.

export { ENCODINGS, findEncoding, textEncoderOf } from './csv/encodings.ts'
export { periodInName } from './documents/report-facts.ts'
export {
  type CurrencySums,
  type EngineFilePlan,
  type FileCheck,
  type FileColumn,
  type FilePiece,
  type FilePlan,
  type FileStyle,
  type FileSums,
  type Format,
  type FormatSettings,
  type LayoutColumn,
  type Letterhead,
  PAPERS,
  type ReportAbout,
  type ReportFile,
  type SelectedColumn,
  STATEMENT_ROLES,
  type StatementLayout,
  type StatementRole,
} from './format/format.ts'
export { FORMAT_NAMES, FORMATS } from './format/formats.ts'
export { type PdfImage, readImage } from './pdf/document/read-image.ts'
