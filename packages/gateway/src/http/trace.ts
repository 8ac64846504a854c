import { HEADERS } from '@counterfoil/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log, RequestLine } from '../observe/log.ts'
import type { Outcome } from '../outcome.ts'
import type { OperationTrace } from '../operations/handle-operation.ts'
import type { ReportTrace } from '../report/handle-report.ts'
import { endUnread } from './reply.ts'

type LateFields = 'outcome' | 'code' | 'step' | 'rows' | 'bytes' | 'firstByteMs'

/** What becomes known of a request while it is answered, for its line in the log. */
export type Trace = ReportTrace &
  OperationTrace & { -readonly [Field in LateFields]?: RequestLine[Field] }

/** The traces of the requests that are being answered. */
export class Traces {
  readonly #log: Log
  readonly #traces = new WeakMap<FastifyRequest, Trace>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Begins a request's trace; its line is logged when the answer is over, however that comes. */
  begin(request: FastifyRequest, { raw: response }: FastifyReply): void {
    const trace: Trace = {}
    const startedAt = performance.now()
    this.#traces.set(request, trace)
    response.setHeader(HEADERS.requestId, request.id)
    endUnread(response)
    response.once('close', () => {
      this.#log.request({
        requestId: request.id,
        method: request.method,
        path: pathOf(request),
        status: response.statusCode,
        durationMs: Math.round(performance.now() - startedAt),
        ...trace,
        outcome: response.writableFinished ? (trace.outcome ?? 'page') : 'aborted',
      })
    })
  }

  of(request: FastifyRequest): Trace {
    return this.#traces.get(request) ?? {}
  }
}

/** Notes what became of a request. */
export function noteOutcome(trace: Trace, outcome: Outcome): void {
  trace.outcome = outcome.kind
  if (outcome.kind === 'problem') trace.code = outcome.error.code
  if (outcome.kind !== 'refusal') return
  trace.step = outcome.step
  trace.code = outcome.code
  if (outcome.claimedLogin !== undefined) trace.login = outcome.claimedLogin
}

/** The path that was asked for, without the query. */
export function pathOf(request: FastifyRequest): string {
  return (request.raw.url ?? '/').replace(/\?.*$/s, '')
}
