import { digestInHex, HEADERS, parseReprDigest, type Run } from '@counterfoil/protocol'
import { runtime } from '#runtime'
import { type CounterfoilError, createError } from '../errors/counterfoil-error.ts'
import type { Proof, ReportOutcome } from './report.ts'
import { type Answer, requestIdOf } from '../runtime/runtime.ts'

export interface ProofOptions {
  /** Returns the manifest of a run, or undefined if the gateway keeps no manifests. */
  readonly readManifest: (runId: string) => Promise<Run | undefined>
  /** Whether a report without a proof is an error. */
  readonly isRequired: boolean
}

interface Promised {
  readonly sha256: string | undefined
  readonly rows: number
  readonly replaced: number
  readonly proof: Proof
}

/**
 * Passes the body of an answer on, and compares digest and rows at its end with the trailers or the manifest. The count
 * notices a gateway that sent other rows than it counted in the engine. Throws `truncated` or `digest-mismatch`.
 */
export async function* proveReport(
  answer: Answer,
  counter: RowCounter | undefined,
  options: ProofOptions,
): AsyncGenerator<Uint8Array, ReportOutcome, void> {
  const sha256 = runtime.createSha256()
  let bytes = 0
  for await (const chunk of answer.chunks) {
    sha256.update(chunk)
    counter?.push(chunk)
    bytes += chunk.length
    yield chunk
  }
  const arrived = { bytes, sha256: sha256.hex(), rows: counter?.rows() }
  const promised = promiseInTrailers(answer) ?? (await promiseInManifest(answer, options))
  if (promised) {
    const outcome = compare(promised, arrived, requestIdOf(answer))
    if (outcome.proof !== 'none' || !options.isRequired) return outcome
    throw unproved('the runtime decompressed the file, and only rows of CSV can be counted', answer)
  }
  if (counter?.isInQuotes()) throw unproved('the CSV ends inside a quoted field', answer)
  if (options.isRequired) throw unproved('the gateway does not prove that it is complete', answer)
  return { ...arrived, replaced: 0, proof: 'none' }
}

function promiseInTrailers(answer: Answer): Promised | undefined {
  const [digest, rows] = [HEADERS.reprDigest, HEADERS.rows].map((name) => answer.trailer?.(name))
  if (digest === undefined || rows === undefined) return undefined
  const sha256 = parseReprDigest(digest)
  if (sha256 === undefined) throw unproved(`the trailer ${HEADERS.reprDigest} is malformed`, answer)
  if (!/^\d{1,15}$/.test(rows)) throw unproved(`the trailer ${HEADERS.rows} is malformed`, answer)
  // An older gateway does not send this trailer.
  const replaced = Number(answer.trailer?.(HEADERS.replaced) ?? 0)
  return { sha256: digestInHex(sha256), rows: Number(rows), replaced, proof: 'trailers' }
}

/** Returns what the manifest says, or undefined if the gateway keeps no manifests and announced no trailers. */
async function promiseInManifest(
  answer: Answer,
  { readManifest }: ProofOptions,
): Promise<Promised | undefined> {
  const runId = requestIdOf(answer)
  const run = runId === undefined ? undefined : await readManifest(runId)
  if (!run) {
    const isPromised = runId !== undefined || answer.header('trailer') !== undefined
    if (!answer.trailer || !isPromised) return undefined
    throw unproved('the trailers are missing; a proxy may have dropped them', answer)
  }
  const { outcome, file } = run
  if (outcome !== 'complete' || !file)
    throw unproved(`the outcome of the run is ${outcome}`, answer)
  const { rows, replaced } = file
  if (answer.isDecoded) return { sha256: undefined, rows, replaced, proof: 'rows' }
  return { sha256: digestInHex(file.sha256), rows, replaced, proof: 'manifest' }
}

function compare(
  { sha256, rows, replaced, proof }: Promised,
  arrived: Pick<ReportOutcome, 'bytes' | 'sha256' | 'rows'>,
  requestId: string | undefined,
): ReportOutcome {
  if (sha256 !== undefined && sha256 !== arrived.sha256) {
    const message = 'the SHA-256 of the bytes that arrived is not the SHA-256 that the gateway sent'
    throw createError('digest-mismatch', message, { of: 'sha256' }, { requestId })
  }
  if (arrived.rows !== undefined && arrived.rows !== rows) {
    const message = `the gateway sent ${rows} rows, but ${arrived.rows} arrived`
    throw createError('digest-mismatch', message, { of: 'rows' }, { requestId })
  }
  const isCompared = sha256 !== undefined || arrived.rows !== undefined
  return { ...arrived, rows, replaced, proof: isCompared ? proof : 'none' }
}

function unproved(what: string, answer: Answer): CounterfoilError {
  const message = `${what}, so the report may be incomplete`
  const requestId = requestIdOf(answer)
  return createError('truncated', message, { reason: 'unproved' }, { requestId })
}

export interface RowCounter {
  push(chunk: Uint8Array): void
  /** The records so far, without the header row. A record that has begun counts. */
  rows(): number
  /** Whether the bytes so far end inside a quoted field. */
  isInQuotes(): boolean
}

/** How a CSV is written, as its `Content-Type` says it. */
export interface CountedCsv {
  readonly hasHeader: boolean
  readonly charset?: string
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

/**
 * Creates a counter of CSV rows (RFC 4180, section 2). A doubled quote closes and reopens its field, so counting quotes
 * is enough. In UTF-16, the bytes of `"` and LF may be halves of other characters, so the counter decodes it.
 */
export function createRowCounter({ hasHeader, charset = 'utf-8' }: CountedCsv): RowCounter {
  const decoder = /^utf-16(?:le|be)?$/i.test(charset) ? new TextDecoder(charset) : undefined
  const encoder = new TextEncoder()
  let seen = 0
  let firstByte: number | undefined
  let ended = 0
  let isQuoted = false
  let inRecord = false
  return {
    push(received) {
      const chunk = decoder ? encoder.encode(decoder.decode(received, { stream: true })) : received
      for (let index = 0; index < chunk.length; index += 1) {
        if (chunk[index] === QUOTE) isQuoted = !isQuoted
        else if (chunk[index] === LINE_FEED && !isQuoted) ended += 1
      }
      firstByte ??= chunk[0]
      seen += chunk.length
      if (chunk.length > 0) inRecord = isQuoted || chunk.at(-1) !== LINE_FEED
    },
    isInQuotes: () => isQuoted,
    rows() {
      // A byte order mark alone is not a record.
      if (seen === 3 && firstByte === 0xef) return 0
      return Math.max(0, ended + (inRecord ? 1 : 0) - (hasHeader ? 1 : 0))
    },
  }
}
