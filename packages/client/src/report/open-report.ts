import { HEADERS, REFUSAL_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { parseMediaType } from './media-type.ts'
import {
  type CountedCsv,
  createRowCounter,
  type ProofOptions,
  proveReport,
} from './prove-report.ts'
import { failureOf, mediaTypeOf, readText } from '../errors/read-failure.ts'
import type { OpenReport, ReportHead } from './report.ts'
import { type Answer, requestIdOf } from '../runtime/runtime.ts'
import { parse } from 'content-disposition'

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
  const { beginning, chunks } = isNamed ? { ...answer, beginning: '' } : await peek(answer.chunks)
  const whole: Answer = { ...answer, chunks }
  const knownType = contentType === '' ? undefined : (mediaType ?? 'malformed')
  if (!isNamed && !isReport(beginning, knownType)) {
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

function isReport(beginning: string, mediaType: string | undefined): boolean {
  if (beginning === '' || beginning.startsWith(REFUSAL_PREFIX)) return false
  if (REPORT_TYPES.includes(mediaType)) return true
  const isVague = mediaType === undefined || mediaType === REFUSAL_MEDIA_TYPE
  return isVague && REPORT_BEGINNING.test(beginning)
}

/** How to count the rows of a CSV. It has a header row unless its media type says otherwise (RFC 4180, 3). */
function csvOf(contentType: string, beginning: string): CountedCsv | undefined {
  const { essence, parameters } = parseMediaType(contentType) ?? {}
  if (essence !== 'text/csv' && !beginning.startsWith('"')) return undefined
  const charset = parameters?.get('charset') ?? 'utf-8'
  return { hasHeader: parameters?.get('header') !== 'absent', charset }
}

/** Reads as much of a body as tells a refusal, and returns it beside the chunks, which are still all of the body. */
export async function peek(body: AsyncIterable<Uint8Array>): Promise<{
  readonly beginning: string
  readonly chunks: AsyncIterable<Uint8Array>
}> {
  const source = body[Symbol.asyncIterator]()
  const decoder = new TextDecoder()
  const read: Uint8Array[] = []
  let beginning = ''
  while (beginning.length < REFUSAL_PREFIX.length) {
    const { done, value } = await source.next()
    if (done) break
    read.push(value)
    beginning += decoder.decode(value, { stream: true })
  }
  return { beginning, chunks: rejoin(read, source) }
}

async function* rejoin(
  read: readonly Uint8Array[],
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* read
    yield* { [Symbol.asyncIterator]: () => source }
  } finally {
    await source.return?.()
  }
}

/** Returns the file name (RFC 6266), made safe. Undefined if no character of the name is left. */
export function fileNameOf(contentDisposition: string): string | undefined {
  const name = parse(contentDisposition).parameters['filename']
  return name === undefined ? undefined : safeBaseName(name)
}

function safeBaseName(name: string): string | undefined {
  const base = name.split(/[/\\]/).at(-1) ?? ''
  // Control and format characters too: a right-to-left mark can disguise a name.
  const safe = base
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}<>:"|?*]/gu, '_')
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '')
  return safe || undefined
}
