import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { MIMEType } from 'node:util'
import { HEADERS, REFUSAL_MEDIA_TYPE } from '@counterfoil/protocol'
import { type WaitOptions, requestIdOf } from './exchange.ts'
import { fileNameOf } from './file-name.ts'
import { failureOf, mediaTypeOf, readText } from './read-failure.ts'
import type { CountedCsv } from './row-counter.ts'
import { type Completeness, verifyBody } from './verify-body.ts'

/** A report that has begun to arrive. */
export interface Report {
  /** The id by which the gateway's operator finds the request. */
  readonly requestId: string | undefined
  /** The file name that the gateway suggests, made safe: a base name. */
  readonly fileName: string
  /** For example `text/csv; charset=UTF-8`. */
  readonly contentType: string
  /**
   * When the newest row that the login may see was created: an instant in UTC, or a day for reports on statements.
   * `none` if the login sees no row, and undefined if the gateway does not say.
   */
  readonly newestRow: string | undefined
  /**
   * The bytes of the report. The stream ends only if the report is complete. Otherwise it fails with a {@link
   * ReportError}, possibly after you have read a part of the report. Destroy the stream to stop early.
   */
  readonly body: Readable
  /** Resolves when you have read the body to its end and it is complete. Rejects with the body's error. */
  readonly completed: Promise<Completeness>
}

const FILE_NAME_DEFAULT = 'report'

/**
 * Returns the report of an answer, and throws for any other outcome. A report has status 200 and a Content-Disposition,
 * and is never `text/plain`: a refusal is, also with status 200 (specification, "Errors").
 */
export async function readAnswer(
  answer: IncomingMessage,
  waitOptions: WaitOptions,
): Promise<Report> {
  const contentType = answer.headers['content-type'] ?? ''
  const disposition = answer.headers['content-disposition']
  const isText = mediaTypeOf(answer) === REFUSAL_MEDIA_TYPE
  if (answer.statusCode !== 200 || !disposition || isText) {
    throw failureOf(answer, await readText(answer, waitOptions), 'a report')
  }
  return {
    requestId: requestIdOf(answer),
    fileName: fileNameOf(disposition) ?? FILE_NAME_DEFAULT,
    contentType,
    newestRow: newestRowOf(answer),
    ...verifyBody(answer, csvOf(answer), waitOptions),
  }
}

function newestRowOf({ headers }: IncomingMessage): string | undefined {
  const value = headers[HEADERS.newestRow.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

/**
 * Returns how to count the rows of an answer if it is CSV. It has a header row unless its media type says otherwise (RFC 4180,
 * section 3).
 */
function csvOf(answer: IncomingMessage): CountedCsv | undefined {
  if (mediaTypeOf(answer) !== 'text/csv') return undefined
  const { params } = new MIMEType(answer.headers['content-type'] ?? '')
  const charset = params.get('charset') ?? 'utf-8'
  return { hasHeader: params.get('header') !== 'absent', charset }
}
