import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { MIMEType } from 'node:util'
import { HEADERS, REFUSAL_MEDIA_TYPE } from '@counterfoil/protocol'
import { type Patience, requestIdOf } from './exchange.ts'
import { fileNameOf } from './file-name.ts'
import { failureOf, mediaTypeOf, readText } from './read-failure.ts'
import { type Completeness, type Csv, verifyBody } from './verify-body.ts'

/** A report that has begun to come. */
export interface Report {
  /** What the gateway's operator finds the request by. */
  readonly requestId: string | undefined
  /** The name that the gateway gives the file, made safe: a base name. */
  readonly fileName: string
  /** For example `text/csv; charset=UTF-8`. */
  readonly contentType: string
  /**
   * When the newest row was created that the login may see: an instant in UTC, or a day for reports on statements.
   * `none` if the login sees no row, and `undefined` if the gateway does not say it.
   */
  readonly newestRow: string | undefined
  /**
   * The report's bytes. It ends only if the report is complete: otherwise it fails with a {@link ReportError}, after
   * bytes of a part of the report have already been read. Destroy it to leave early.
   */
  readonly body: Readable
  /** Fulfilled when the body was read to its end and is complete; rejected with what made it fail. */
  readonly completed: Promise<Completeness>
}

const FILE_NAME_DEFAULT = 'report'

/**
 * Tells the outcomes apart: a report is status 200 with a Content-Disposition, and never `text/plain`, which with
 * status 200 is how a refusal comes (specification, "Errors"). Everything else is thrown.
 */
export async function readAnswer(answer: IncomingMessage, patience: Patience): Promise<Report> {
  const contentType = answer.headers['content-type'] ?? ''
  const disposition = answer.headers['content-disposition']
  const isText = mediaTypeOf(answer) === REFUSAL_MEDIA_TYPE
  if (answer.statusCode !== 200 || !disposition || isText) {
    throw failureOf(answer, await readText(answer, patience), 'a report')
  }
  return {
    requestId: requestIdOf(answer),
    fileName: fileNameOf(disposition) ?? FILE_NAME_DEFAULT,
    contentType,
    newestRow: newestRowOf(answer),
    ...verifyBody(answer, csvOf(answer), patience),
  }
}

function newestRowOf({ headers }: IncomingMessage): string | undefined {
  const value = headers[HEADERS.newestRow.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

/** Whether an answer is CSV, and has a header row, as it has unless its type says otherwise (RFC 4180, section 3). */
function csvOf(answer: IncomingMessage): Csv | undefined {
  if (mediaTypeOf(answer) !== 'text/csv') return undefined
  const { params } = new MIMEType(answer.headers['content-type'] ?? '')
  return { hasHeader: params.get('header') !== 'absent' }
}
