import { type Authenticator, authenticate } from '../authenticate/authenticate.ts'
import type { Engine } from '../engine/engine.ts'
import { failureOf, type Outcome, type ReceivedRequest } from '../outcome.ts'
import type { Catalogue } from '../templates/load-templates.ts'
import type { Admission, Place } from './admission.ts'
import { bindTimeZone } from './bind-time-zone.ts'
import { readCreatedDays } from './created-days.ts'
import { parseEnvelope } from './envelope.ts'
import { fileNameOf } from './file-name.ts'
import { findReport } from './find-report.ts'
import { readParameters } from './parameters.ts'
import { holdPlace } from './hold-place.ts'
import type { LargeRequests } from './large-requests.ts'
import type { NewestRows } from './newest-rows.ts'
import { planReport } from './plan.ts'
import { proveComplete } from './prove-complete.ts'
import { readScope } from './scope.ts'

/** What the way of a report goes through. */
export interface ReportParts {
  readonly authenticator: Authenticator
  readonly catalogue: () => Catalogue
  readonly engine: Engine
  /** Spaces out the large requests of each login. */
  readonly largeRequests: LargeRequests
  /** Decides which report runs next. */
  readonly admission: Admission
  /** Resolves when the ledger has every operation that was accepted before. */
  readonly bringAccepted: () => Promise<void>
  readonly newestRows: NewestRows
  readonly now: () => number
}

/** What became known of a request on its way, for its log line. */
export interface ReportTrace {
  login?: string
  report?: string
}

/**
 * The way of a report request, from its raw bytes to the report's first bytes. Every refusal is a value: who is
 * asking is refused by `authenticate`, what is asked by the steps that follow, and what cannot run by the engine.
 */
export async function handleReport(
  parts: ReportParts,
  request: ReceivedRequest,
  trace: ReportTrace,
  signal: AbortSignal,
): Promise<Outcome> {
  let place: Place | undefined
  try {
    const identity = await authenticate(parts.authenticator, request)
    if (identity.kind === 'refusal') return identity
    const { consumer } = identity
    trace.login = consumer.login

    await parts.largeRequests.wait(consumer.login, request.body, signal)
    const envelope = parseEnvelope(request)
    request.releaseBody?.()
    const catalogue = parts.catalogue()
    const { report, format } = findReport(catalogue, envelope, consumer.role)
    const { template } = report
    trace.report = template.identifier
    const read = readParameters(template, envelope, catalogue.timezones)
    place = await parts.admission.enter(consumer.login, signal)
    const values = await bindTimeZone(read, parts.engine)
    await parts.bringAccepted()
    const scope = await readScope(consumer, report, envelope.filters, parts.engine, signal)
    const now = parts.now()
    const newestRow = await parts.newestRows.of(template.rows, consumer, signal)
    const createdDays = await readCreatedDays(template, values.input, parts.engine, signal)

    const asked = { template, values, scope, createdDays, format, envelope, role: consumer.role }
    const { contentType, head, query } = planReport({ ...asked, now })
    const chunks = await parts.engine.stream(query, signal)
    return {
      kind: 'report',
      contentType,
      fileName: fileNameOf(envelope.reportName, format.extension),
      newestRow,
      body: proveComplete(head, holdPlace(place, chunks, signal)),
    }
  } catch (error) {
    place?.leave()
    // Who has gone away hears nothing.
    if (error === signal.reason) throw error
    return failureOf(error)
  }
}
