import { HEADERS, REFUSAL_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { fileNameOf } from './file-name.ts'
import { parseMediaType } from './media-type.ts'
import { peek } from './peek.ts'
import { type ProofOptions, proveReport } from './prove-report.ts'
import { failureOf, mediaTypeOf, readText } from '../errors/read-failure.ts'
import { requestIdOf } from '../connection/request-id.ts'
import type { OpenReport, ReportHead } from './report.ts'
import { type CountedCsv, createRowCounter } from './row-counter.ts'
import type { Answer } from '../transport/transport.ts'

const FILE_NAME_DEFAULT = 'report'

/** Media types that show a report although its answer has no file name. */
const REPORT_TYPES: readonly (string | undefined)[] = [
  'text/csv',
  'application/pdf',
  'application/octet-stream',
]

/** The beginnings of a CSV with quotes and of a PDF, as the specification describes them. */
const REPORT_BEGINNING = /^(?:"|%PDF-)/

/**
 * Returns the report of an answer, and throws for any other outcome. A report of the gateway has status 200 and a
 * Content-Disposition, and is never `text/plain`: a refusal is, also with status 200. The specification requires
 * neither, so without them the beginning of the body decides.
 */
export async function openReport(answer: Answer, proof: ProofOptions): Promise<OpenReport> {
  const disposition = answer.header('content-disposition')
  const contentType = answer.header('content-type') ?? ''
  const mediaType = mediaTypeOf(answer)
  const isNamed = disposition !== undefined && mediaType !== REFUSAL_MEDIA_TYPE
  if (answer.status !== 200) throw failureOf(answer, await readText(answer), 'a report')
  const { beginning, chunks } = isNamed ? { ...answer, beginning: '' } : await peekText(answer)
  const whole: Answer = { ...answer, chunks }
  if (
    !isNamed &&
    !isReport(beginning, contentType === '' ? undefined : (mediaType ?? 'malformed'))
  ) {
    throw failureOf(whole, await readText(whole), 'a report')
  }
  const head: ReportHead = {
    runId: requestIdOf(answer),
    fileName:
      (disposition === undefined ? undefined : fileNameOf(disposition)) ?? FILE_NAME_DEFAULT,
    contentType,
    newestRow: answer.header(HEADERS.newestRow),
  }
  const csv = csvOf(contentType, beginning)
  const counter = csv && createRowCounter(csv)
  return {
    head,
    chunks: proveReport(whole, counter, proof),
    rowsSoFar: () => counter?.rows(),
    cancel: answer.cancel,
  }
}

async function peekText({ chunks }: Answer) {
  const peeked = await peek(chunks, REFUSAL_PREFIX.length)
  return { chunks: peeked.chunks, beginning: new TextDecoder().decode(peeked.beginning) }
}

function isReport(beginning: string, mediaType: string | undefined): boolean {
  if (beginning === '' || beginning.startsWith(REFUSAL_PREFIX)) return false
  if (REPORT_TYPES.includes(mediaType)) return true
  const isVague = mediaType === undefined || mediaType === REFUSAL_MEDIA_TYPE
  return isVague && REPORT_BEGINNING.test(beginning)
}

/**
 * Returns how to count the rows of a report if it is CSV. It has a header row unless its media type says otherwise (RFC
 * 4180, section 3).
 */
function csvOf(contentType: string, beginning: string): CountedCsv | undefined {
  const { essence, parameters } = parseMediaType(contentType) ?? {}
  if (essence !== 'text/csv' && !beginning.startsWith('"')) return undefined
  const charset = parameters?.get('charset') ?? 'utf-8'
  return { hasHeader: parameters?.get('header') !== 'absent', charset }
}
