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
export type { Credentials } from './credentials.ts'
export type { ReportHead } from './open-report.ts'
export type { AcceptedAnswer, CallOptions, OperationFields, Payments } from './payments.ts'
export { readReportUrl } from './read-discovery.ts'
export {
  type ColumnOption,
  type ParameterValue,
  type ReportOptions,
  toReportRequest,
} from './report-options.ts'
export type { Download, DownloadOptions, DownloadTarget } from './save-report.ts'
export type { Report } from './stream-report.ts'
export { type TlsFault, tlsFaultOf } from './tls-fault.ts'
export type { Completeness } from './verify-body.ts'
export type {
  AsyncResponse,
  EligibilityResponse,
  ErrorResponse,
  OperationName,
  Problem,
  ProblemFault,
  ReportRequest,
} from '@counterfoil/protocol'
