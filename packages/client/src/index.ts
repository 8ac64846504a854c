export {
  type Addresses,
  type ClientOptions,
  type ConnectionOptions,
  CounterfoilClient,
} from './client/counterfoil-client.ts'
export {
  CounterfoilError,
  createError,
  type ErrorCode,
  type ErrorFields,
} from './errors/counterfoil-error.ts'
export type { Credentials, ViewSession } from './connection/connection.ts'
export type {
  AcceptedAnswer,
  CallOptions,
  OperationFields,
  Payments,
} from './operations/payments.ts'
export { readJwks, readReportUrl, type RunsOptions } from './records/records.ts'
export {
  type ColumnOption,
  type ParameterValue,
  type ReportOptions,
  toReportRequest,
} from './report/report-options.ts'
export type {
  Download,
  DownloadOptions,
  DownloadTarget,
  Proof,
  Report,
  ReportHead,
  ReportOutcome,
} from './report/report.ts'
export { countsRows } from './report/media-type.ts'
export type { Fetch } from './runtime/fetch-transport.ts'
export { type CsvForm, readRows } from './rows/read-rows.ts'
export type { Row, RowValue } from './rows/csv-parser.ts'
export { type TlsFault, tlsFaultOf } from './errors/connection-faults.ts'
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
