export {
  type Addresses,
  type ClientOptions,
  type ConnectionOptions,
  CounterfoilClient,
} from './counterfoil-client.ts'
export {
  Busy,
  CounterfoilError,
  DigestMismatch,
  type ErrorCode,
  FileError,
  InvalidSettings,
  NetworkError,
  NotAuthorised,
  OperationRefused,
  ReportRefused,
  TimedOut,
  Truncated,
  UnexpectedBody,
} from './counterfoil-error.ts'
export type { Credentials, ViewSession } from './credentials.ts'
export type { AcceptedAnswer, CallOptions, OperationFields, Payments } from './payments.ts'
export { isRun } from './is-run.ts'
export { readReportUrl } from './read-discovery.ts'
export { readJwks } from './read-jwks.ts'
export {
  type ColumnOption,
  type ParameterValue,
  type ReportOptions,
  toReportRequest,
} from './report-options.ts'
export type {
  Download,
  DownloadOptions,
  DownloadTarget,
  Proof,
  Report,
  ReportHead,
  ReportOutcome,
} from './report.ts'
export type { RunsOptions } from './read-runs.ts'
export { countsRows } from './media-type.ts'
export { createRowCounter } from './row-counter.ts'
export type { Fetch } from './transport/fetch-transport.ts'
export type {
  ColumnName,
  OptionsOf,
  ReportName,
  Reports,
  ReportTypes,
  RowOf,
  RowsOptions,
} from './rows/reports.ts'
export { typesOf } from './rows/types-of.ts'
export { readRows, type RowForm } from './rows/read-rows.ts'
export type { Row, RowColumn, RowValue } from './rows/row.ts'
export { type TlsFault, tlsFaultOf } from './tls-fault.ts'
export type {
  AsyncResponse,
  Catalogue,
  CatalogueColumn,
  CatalogueParameter,
  CatalogueReport,
  ControlTotal,
  EligibilityResponse,
  ErrorResponse,
  OperationName,
  Problem,
  ProblemFault,
  ReportRequest,
  Run,
  RunFile,
  RunPage,
} from '@counterfoil/protocol'
