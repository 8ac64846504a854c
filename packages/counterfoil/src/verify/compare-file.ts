import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createRowCounter, type Run, type RunFile } from '@counterfoil/client'
import { countOf, formatCount } from '../print/print-outcome.ts'

/** What a file holds. */
interface Measured {
  readonly bytes: number
  readonly sha256: string
  /** Undefined if the file is not CSV. */
  readonly rows: number | undefined
}

/** How a file compares with the manifest of its run. */
export interface Comparison {
  readonly verified: boolean
  /** What was compared, or what differs: a sentence each. */
  readonly findings: readonly string[]
}

/** The name of one and of many. */
type Unit = readonly [one: string, many: string]

const ROWS: Unit = ['row', 'rows']
const BYTES: Unit = ['byte', 'bytes']

/** Reads a file once, and compares its bytes, its SHA-256 and its rows with a manifest. */
export async function compareFile(file: string, { file: sent, outcome }: Run): Promise<Comparison> {
  if (!sent) {
    const finding = `The manifest has no file: the run's outcome is ${outcome}, not complete.`
    return { verified: false, findings: [finding] }
  }
  const found = await measure(file, sent)
  if (found.sha256 === sent.sha256 && found.bytes === sent.bytes) {
    const size = `${countOf(sent.rows, ...ROWS)} and ${countOf(sent.bytes, ...BYTES)}`
    return { verified: true, findings: [`${size}; the SHA-256 agrees.`] }
  }
  if (sent.contentCoding !== undefined) return compareDecoded(found, sent, sent.contentCoding)
  const findings = [
    ...differ(BYTES, found.bytes, sent.bytes),
    ...differ(ROWS, found.rows, sent.rows),
    'The SHA-256 of the file is another.',
  ]
  return { verified: false, findings }
}

/** The digest of a compressed report covers the compressed bytes (RFC 9530), which a decompressed file lacks. */
function compareDecoded({ rows }: Measured, sent: RunFile, coding: string): Comparison {
  const why = `The manifest has the SHA-256 of the bytes as they were sent, compressed with ${coding}.`
  const differences = differ(ROWS, rows, sent.rows)
  const what =
    differences.length === 0 ? ['The file is not compressed, so its bytes prove nothing.'] : []
  return { verified: false, findings: [why, ...what, ...differences] }
}

function differ(unit: Unit, found: number | undefined, sent: number): readonly string[] {
  if (found === undefined || found === sent) return []
  return [`The file has ${countOf(found, ...unit)}; the gateway sent ${formatCount(sent)}.`]
}

async function measure(file: string, { contentType }: RunFile): Promise<Measured> {
  const hash = createHash('sha256')
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]+)/i.exec(contentType) ?? []
  const isCsv = /^text\/csv\b/i.test(contentType)
  const hasHeader = !/;\s*header=absent/i.test(contentType)
  const counter = isCsv ? createRowCounter({ hasHeader, charset }) : undefined
  let bytes = 0
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    counter?.push(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('base64'), rows: counter?.rows() }
}
