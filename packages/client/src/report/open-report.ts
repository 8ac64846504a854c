import { HEADERS, REFUSAL_MEDIA_TYPE, REFUSAL_PREFIX } from '@counterfoil/protocol'
import { parseMediaType } from './media-type.ts'
import { type ProofOptions, proveReport } from './prove-report.ts'
import { failureOf, mediaTypeOf, readText } from '../errors/read-failure.ts'
import type { OpenReport, ReportHead } from './report.ts'
import { type CountedCsv, createRowCounter } from './row-counter.ts'
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

/** The beginning of a body, and the complete body. */
export interface Peeked {
  readonly beginning: Uint8Array
  /** All chunks, also those of the beginning. */
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Reads at least `bytesMin` bytes of a body, or all of a shorter body. */
export async function peek(body: AsyncIterable<Uint8Array>, bytesMin: number): Promise<Peeked> {
  const source = body[Symbol.asyncIterator]()
  const read: Uint8Array[] = []
  let bytes = 0
  let isEnded = false
  while (bytes < bytesMin && !isEnded) {
    const { done, value } = await source.next()
    if (!done) read.push(value)
    bytes += done ? 0 : value.length
    isEnded = done ?? false
  }
  const beginning = new Uint8Array(bytes)
  let offset = 0
  for (const chunk of read) {
    beginning.set(chunk, offset)
    offset += chunk.length
  }
  return { beginning, chunks: rejoin(read, source) }
}

async function* rejoin(
  read: readonly Uint8Array[],
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* read
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
  } finally {
    await source.return?.()
  }
}

/**
 * Returns the file name in a Content-Disposition (RFC 6266), made safe: a base name without characters that a file
 * system forbids. `filename*` (RFC 8187) takes precedence over `filename`. Returns undefined if no character of the
 * name is left.
 */
export function fileNameOf(contentDisposition: string): string | undefined {
  const name = parse(contentDisposition).parameters['filename']
  return name === undefined ? undefined : safeBaseName(name)
}

// A device keeps its meaning with any extension, and with spaces before the extension.
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i

function safeBaseName(name: string): string | undefined {
  const base = name.split(/[/\\]/).at(-1) ?? ''
  // Control and format characters too: a right-to-left mark can disguise a name.
  const safe = base
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}<>:"|?*]/gu, '_')
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '')
  return WINDOWS_DEVICE.test(safe) ? `_${safe}` : safe || undefined
}
