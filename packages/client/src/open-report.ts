import { HEADERS, REFUSAL_MEDIA_TYPE } from '@counterfoil/protocol'
import { fileNameOf } from './file-name.ts'
import { parseMediaType } from './media-type.ts'
import { failureOf, mediaTypeOf, readText } from './read-failure.ts'
import { requestIdOf } from './request-id.ts'
import type { CountedCsv } from './row-counter.ts'
import type { Answer } from './transport/transport.ts'
import { type Completeness, verifyBody } from './verify-body.ts'

/** What the head of a report says. */
export interface ReportHead {
  /** The id of the run, by which the gateway's operator finds it. Undefined if the gateway gives none. */
  readonly runId: string | undefined
  /** The file name that the gateway suggests, made safe: a base name. */
  readonly fileName: string
  /** For example `text/csv; charset=UTF-8`. */
  readonly contentType: string
  /**
   * When the newest row that the login may see was created: an instant in UTC, or a day for reports on statements.
   * `none` if the login sees no row, and undefined if the gateway does not say.
   */
  readonly newestRow: string | undefined
}

/** A report that has begun to arrive. */
export interface OpenReport {
  readonly head: ReportHead
  /** Yields the bytes, and returns only if they are complete. */
  readonly chunks: AsyncGenerator<Uint8Array, Completeness, void>
  /** Closes the connection. */
  readonly cancel: () => void
}

const FILE_NAME_DEFAULT = 'report'

/**
 * Returns the report of an answer, and throws for any other outcome. A report has status 200 and a Content-Disposition,
 * and is never `text/plain`: a refusal is, also with status 200 (specification, "Errors").
 */
export async function openReport(answer: Answer): Promise<OpenReport> {
  const disposition = answer.header('content-disposition')
  const isText = mediaTypeOf(answer) === REFUSAL_MEDIA_TYPE
  if (answer.status !== 200 || !disposition || isText) {
    throw failureOf(answer, await readText(answer), 'a report')
  }
  const head: ReportHead = {
    runId: requestIdOf(answer),
    fileName: fileNameOf(disposition) ?? FILE_NAME_DEFAULT,
    contentType: answer.header('content-type') ?? '',
    newestRow: answer.header(HEADERS.newestRow),
  }
  return { head, chunks: verifyBody(answer, csvOf(head)), cancel: answer.cancel }
}

/**
 * Returns how to count the rows of a report if it is CSV. It has a header row unless its media type says otherwise (RFC
 * 4180, section 3).
 */
function csvOf({ contentType }: ReportHead): CountedCsv | undefined {
  const { essence, parameters } = parseMediaType(contentType) ?? {}
  if (essence !== 'text/csv') return undefined
  const charset = parameters?.get('charset') ?? 'utf-8'
  return { hasHeader: parameters?.get('header') !== 'absent', charset }
}
