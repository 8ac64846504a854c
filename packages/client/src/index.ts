export {
  type AcceptedAnswer,
  callOperation,
  type CallOptions,
  type OperationCall,
} from './call-operation.ts'
export { type ClientOptions, createClient, type ReportClient } from './create-client.ts'
export type { SenderOptions } from './create-sender.ts'
export type { Credentials } from './credentials.ts'
export type { Report } from './read-answer.ts'
export { readReportUrl } from './read-discovery.ts'
export {
  ReportError,
  type ReportErrorCode,
  type ReportErrorDetails,
} from './report-error.ts'
export type { ReportTarget, SavedReport, SaveOptions } from './save-report.ts'
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
