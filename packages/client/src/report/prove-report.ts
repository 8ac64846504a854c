import { digestInHex, HEADERS, parseReprDigest, type Run } from '@counterfoil/protocol'
import { runtime } from '#runtime'
import { DigestMismatch, Truncated } from '../errors/counterfoil-error.ts'
import type { Proof, ReportOutcome } from './report.ts'
import type { RowCounter } from './row-counter.ts'
import { type Answer, requestIdOf } from '../runtime/runtime.ts'

/** How to prove a report. */
export interface ProofOptions {
  /** Returns the manifest of a run, or undefined if the gateway keeps no manifests. */
  readonly readManifest: (runId: string) => Promise<Run | undefined>
  /** Whether a report without a proof is an error. */
  readonly isRequired: boolean
}

/** What the gateway says that it sent. */
interface Promised {
  readonly sha256: string | undefined
  readonly rows: number
  readonly replaced: number
  readonly proof: Proof
}

/** What arrived. */
interface Arrived {
  readonly sha256: string
  readonly bytes: number
  /** Undefined if the report is not CSV. */
  readonly rows: number | undefined
}

/**
 * Passes the body of an answer on, and compares it at its end with the trailers, or with the manifest if no trailers
 * arrived: the digest, and the number of rows, which it counts if the body is CSV. The digest proves that the bytes are
 * those that the gateway sent. The count notices a gateway that sent other rows than it counted in the engine. Throws
 * `Truncated` or `DigestMismatch`.
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
  const arrived: Arrived = { bytes, sha256: sha256.hex(), rows: counter?.rows() }
  const promised = promiseInTrailers(answer) ?? (await promiseInManifest(answer, options))
  if (promised) {
    const outcome = compare(promised, arrived, requestIdOf(answer))
    if (outcome.proof !== 'none' || !options.isRequired) return outcome
    throw unproved('the runtime decompressed the file, and only rows of CSV can be counted', answer)
  }
  const isOpen = counter?.isInQuotes() ?? false
  if (isOpen) throw unproved('the CSV ends inside a quoted field', answer)
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
  arrived: Arrived,
  requestId: string | undefined,
): ReportOutcome {
  if (sha256 !== undefined && sha256 !== arrived.sha256) {
    const message = 'the SHA-256 of the bytes that arrived is not the SHA-256 that the gateway sent'
    throw new DigestMismatch(message, 'sha256', { requestId })
  }
  if (arrived.rows !== undefined && arrived.rows !== rows) {
    const message = `the gateway sent ${rows} rows, but ${arrived.rows} arrived`
    throw new DigestMismatch(message, 'rows', { requestId })
  }
  const isCompared = sha256 !== undefined || arrived.rows !== undefined
  return { ...arrived, rows, replaced, proof: isCompared ? proof : 'none' }
}

function unproved(what: string, answer: Answer): Truncated {
  const message = `${what}, so the report may be incomplete`
  return new Truncated(message, 'unproved', { requestId: requestIdOf(answer) })
}
