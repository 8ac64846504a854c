import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import {
  DigestMismatch,
  FileError,
  InvalidSettings,
  UnexpectedBody,
} from '../errors/counterfoil-error.ts'
import { parseMediaType } from '../report/media-type.ts'
import { hasTexts, parseJson } from '../errors/read-failure.ts'
import type {
  Download,
  DownloadOptions,
  DownloadTarget,
  OpenReport,
  Proof,
  ReportOutcome,
} from '../report/report.ts'
import type { SavePart, SplitOptions } from '../runtime/runtime.ts'
import { asFileError, saveReport } from './save-report.ts'
import { type PeriodPart, splitPeriod, wasOver } from './split-period.ts'

/** How many parts arrive side by side. A gateway serves a login only a few reports at once. */
const PARTS_AT_ONCE = 3

/** From the strongest proof to the weakest. */
const PROOFS: readonly Proof[] = ['trailers', 'manifest', 'rows', 'none']

/** The first record of a CSV. Each quote opens or closes a field. */
const HEADER = /^[^"\n]*(?:"[^"]*"[^"\n]*)*\n/
const LINE_FEED = 0x0a
/** In UTF-8, a byte in each character. */
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf'
/** No report has a header row as long as this. */
const HEADER_BYTES_MAX = 1024 * 1024

const JOINABLE = ['text/csv', 'application/x-ndjson']

/**
 * Requests the days of a period side by side, saves each in a folder beside the target, and joins them when all are
 * there. After a failure the folder stays. The next call requests only the days that it lacks, and those that were not
 * over when they were requested.
 */
export async function saveInParts(
  save: SavePart,
  request: ReportRequest,
  target: DownloadTarget,
  { overwrite = false, checkReport, ...options }: SplitOptions,
): Promise<Download> {
  if (typeof target !== 'string') {
    throw new InvalidSettings('split: expected the path of a file, got a directory')
  }
  const parts = splitPeriod(request)
  await checkReport()
  const folder = folderOf(target, { request, ...options.caller })
  const openJoined = async (): Promise<OpenReport> => {
    await openPrivateFolder(folder)
    return joinParts(await fetchParts(parts, folder, save, options))
  }
  const saved = await saveReport(openJoined, target, { overwrite })
  await rm(folder, { recursive: true, force: true })
  return saved
}

/** Whose parts a folder holds, and of which report. */
type Selection = SplitOptions['caller'] & { readonly request: ReportRequest }

/**
 * Returns the folder for the parts of a request. Another request for the same file has another folder, and so has the
 * same request of another login or to another gateway.
 */
function folderOf(target: string, selection: Selection): string {
  const digest = createHash('sha256').update(JSON.stringify(selection)).digest('hex').slice(0, 12)
  return join(dirname(target), `.${basename(target).slice(0, 60)}.${digest}.parts`)
}

/** A part that arrived. */
interface KeptPart extends Download {
  /** When the client requested the part: an instant in UTC. */
  readonly requestedAt: string
}

/** Fetches the parts that the folder lacks, a few at once. After the first failure, it ends the others. */
async function fetchParts(
  parts: readonly PeriodPart[],
  folder: string,
  save: SavePart,
  { signal, onProgress, requireProof }: Omit<SplitOptions, 'caller' | 'checkReport' | 'overwrite'>,
): Promise<readonly Download[]> {
  const failed = new AbortController()
  const signals = signal ? [failed.signal, signal] : [failed.signal]
  const received: number[] = parts.map(() => 0)
  const counted: (number | undefined)[] = parts.map(() => 0)
  const waiting = parts.entries()
  const kept: Download[] = []
  const work = async (): Promise<void> => {
    for (const [index, part] of waiting) {
      const options = {
        signal: AbortSignal.any(signals),
        onProgress(bytes: number, rows: number | undefined) {
          received[index] = bytes
          counted[index] = rows
          onProgress?.(sumOf(received), counted.includes(undefined) ? undefined : sumOf(counted))
        },
      }
      const found = await readKept(folder, part)
      const isUsable =
        found && wasOver(part, found.requestedAt) && !(requireProof && found.proof === 'none')
      kept[index] = isUsable ? found : await fetchPart(folder, part, save, options)
    }
  }
  const workers = Array.from({ length: PARTS_AT_ONCE }, async () => {
    await work().catch((error: unknown) => failed.abort(error))
  })
  await Promise.all(workers)
  signal?.throwIfAborted()
  failed.signal.throwIfAborted()
  return kept
}

function sumOf(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((sum, one = 0) => sum + one, 0)
}

/** Saves a part, and then the record that says that it is complete. */
async function fetchPart(
  folder: string,
  { day, request }: PeriodPart,
  save: SavePart,
  options: DownloadOptions,
): Promise<Download> {
  const requestedAt = new Date().toISOString()
  const saved = await save(request, join(folder, day), { ...options, overwrite: true })
  const part: KeptPart = { ...saved, requestedAt }
  const record = join(folder, `${day}.json`)
  const written = writeFile(`${record}.part`, JSON.stringify(part), { mode: 0o600 })
  await asFileError(record, written)
  await asFileError(record, rename(`${record}.part`, record))
  return part
}

async function readKept(folder: string, { day }: PeriodPart): Promise<KeptPart | undefined> {
  // The folder may have moved since the record was written.
  const file = join(folder, day)
  const record = parseJson(await readFile(`${file}.json`, 'utf8').catch(() => ''))
  const size = await stat(file).then(
    (found) => found.size,
    () => undefined,
  )
  return isKeptPart(record) && record.bytes === size ? { ...record, file } : undefined
}

function isKeptPart(value: unknown): value is KeptPart {
  return hasTexts(value, ['file', 'sha256', 'contentType', 'proof', 'requestedAt'])
}

/** Joins parts to one report: the bytes of the first, and those of the others without their header rows. */
async function joinParts(parts: readonly Download[]): Promise<OpenReport> {
  const [first] = parts
  const { essence = '', parameters } = parseMediaType(first?.contentType ?? '') ?? {}
  if (
    !first ||
    !JOINABLE.includes(essence) ||
    /^utf-(?:16|32)/i.test(parameters?.get('charset') ?? '')
  ) {
    throw new InvalidSettings(`split: cannot join files of ${first?.contentType}; use CSV in UTF-8`)
  }
  const hasHeader = essence === 'text/csv' && parameters?.get('header') !== 'absent'
  let header: string | undefined
  const headerBytes: number[] = []
  // One file after the other: a process may open only a limited number of files.
  for (const { file } of parts) {
    const own = await beginningOf(file, hasHeader)
    header ??= own
    if (hasHeader && withoutLineEnd(own) !== withoutLineEnd(header)) {
      throw new UnexpectedBody('the days have different header rows, so they cannot be joined', 200)
    }
    headerBytes.push(Buffer.byteLength(own, 'latin1'))
  }
  const newestRow = parts.flatMap((part) => part.newestRow ?? []).toSorted()[0]
  const { contentType } = first
  const lineEnd = Buffer.from(essence === 'text/csv' ? '\r\n' : '\n')
  return {
    head: { runId: undefined, fileName: basename(first.file), contentType, newestRow },
    chunks: joined(parts, headerBytes, lineEnd),
    cancel: () => {},
  }
}

/**
 * Joins files. The last record of a CSV may lack its line end (RFC 4180): without one, the next row would go on in it.
 *
 * @param headerBytes the length of each file's beginning, which only the first file keeps
 */
async function* joined(
  parts: readonly Download[],
  headerBytes: readonly number[],
  lineEnd: Uint8Array,
): AsyncGenerator<Uint8Array, ReportOutcome, void> {
  const sha256 = createHash('sha256')
  let bytes = 0
  let last = LINE_FEED
  const kept = (chunk: Uint8Array): Uint8Array => {
    sha256.update(chunk)
    bytes += chunk.length
    last = chunk.at(-1) ?? last
    return chunk
  }
  for (const [index, part] of parts.entries()) {
    let skipped = index === 0 ? (headerBytes[0] ?? 0) : 0
    let isBegun = false
    for await (const chunk of verified(part)) {
      const rest = chunk.subarray(Math.min(chunk.length, (headerBytes[index] ?? 0) - skipped))
      skipped += chunk.length - rest.length
      if (rest.length === 0) continue
      if (!isBegun && last !== LINE_FEED) yield kept(lineEnd)
      isBegun = true
      yield kept(rest)
    }
  }
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const proofs = parts.map(({ proof }) => PROOFS.indexOf(proof))
  return {
    rows: sum(parts.map(({ rows = 0 }) => rows)),
    bytes,
    replaced: sum(parts.map(({ replaced }) => replaced)),
    sha256: sha256.digest('hex'),
    proof: PROOFS[Math.max(...proofs)] ?? 'none',
  }
}

/** Reads a part again. If its bytes have changed since they were proved, removes it and throws `DigestMismatch`. */
async function* verified({ file, sha256 }: Download): AsyncGenerator<Buffer, void> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') === sha256) return
  await rm(`${file}.json`)
  throw new DigestMismatch(`${file} has changed since it arrived; retry`, 'sha256')
}

/** Returns what only the first of the joined files keeps: the header row of a CSV, or a byte order mark. */
async function beginningOf(file: string, hasHeader: boolean): Promise<string> {
  const handle = await open(file)
  const { buffer, bytesRead } = await handle
    .read({ buffer: Buffer.alloc(HEADER_BYTES_MAX) })
    .finally(() => handle.close())
  const text = buffer.toString('latin1', 0, bytesRead)
  if (!hasHeader) return text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const header = HEADER.exec(text)?.[0] ?? text
  if (header.length < HEADER_BYTES_MAX) return header
  throw new UnexpectedBody(`the header row of a day has ${HEADER_BYTES_MAX} bytes or more`, 200)
}

function withoutLineEnd(record: string): string {
  return record.replace(/\r?\n$/, '')
}

/**
 * Creates a folder that only its owner may use, or takes one that exists. Throws `FileError` if another user owns it or
 * may write in it: that user may have prepared its files.
 */
async function openPrivateFolder(folder: string): Promise<void> {
  const created = await asFileError(folder, mkdir(folder, { recursive: true, mode: 0o700 }))
  if (created !== undefined) return
  const found = await asFileError(folder, lstat(folder))
  const user = process.getuid?.()
  // Windows has neither numbers of users nor these modes.
  const isPrivate = user === undefined || (found.uid === user && (found.mode & 0o022) === 0)
  if (found.isDirectory() && isPrivate) return
  throw new FileError(`${folder} is a link, or another user may write in it; remove it`)
}
