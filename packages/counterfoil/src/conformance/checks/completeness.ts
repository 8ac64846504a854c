import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { HEADERS, parseReprDigest } from '@counterfoil/protocol'
import { isReport, mediaTypeOf } from '../answer.ts'
import { type CheckRow, checksOf, type Judge, type Subject } from '../check.ts'
import { expects, find, onReport } from '../judges.ts'
import { parseStrictCsv } from '../parse-strict-csv.ts'

const digestAgrees: Judge = ({ body, trailers, headers }) => {
  const name = HEADERS.reprDigest.toLowerCase()
  const sent = trailers[name] ?? headers[name]
  if (typeof sent !== 'string') return { skip: 'the gateway sends no digest' }
  const digest = hash('sha256', body, 'base64')
  return { isRight: parseReprDigest(sent) === digest, expected: digest, got: sent }
}

const rowsAgree: Judge = ({ body, trailers }) => {
  const rows = trailers[HEADERS.rows.toLowerCase()]
  if (rows === undefined) return { skip: 'the gateway sends no number of rows' }
  const counted = String(parseStrictCsv(body.toString(), ',').records.length - 1)
  return { isRight: rows === counted, expected: `${counted} rows`, got: `${rows} rows` }
}

const compressedAgrees: Judge = async (answer, sent) => {
  if (answer.headers['content-encoding'] !== 'gzip')
    return { skip: 'the gateway does not compress' }
  const plain = (await sent.gateway.ask()).answer.body
  if (headerRow(unzip(answer.body)) !== headerRow(plain))
    return find(false, 'the same header row after decompression', answer)
  return await digestAgrees(answer, sent)
}

/** Judges a file of a format that the gateway may have. */
const sendsFormat = (mediaType: string, start: string): Judge => {
  return (answer, { request }) => {
    const { reportFormat } = JSON.parse(request.body.toString())
    if (answer.status >= 400) return { skip: `the report has no ${reportFormat}` }
    const isRight =
      isReport(answer) && mediaTypeOf(answer) === mediaType && answer.body.indexOf(start) === 0
    return find(isRight, `${mediaType}, and a body that begins "${start}"`, answer)
  }
}

// biome-ignore format: a check is a line of the table
const PLAIN: readonly CheckRow[] = [
  ['complete-framing', 'must', 'ends the report as HTTP says', 'RFC 9112, 8', 'the plain request', undefined, expects('the end of the body', ({ isComplete }) => isComplete)],
  ['complete-digest', 'should', 'sends the digest of the bytes', 'RFC 9530, 3', 'the plain request', undefined, digestAgrees],
  ['complete-rows', 'should', 'sends the number of rows', "docs/protocol.md, The report's headers and trailers", 'the plain request', undefined, rowsAgree],
  ['complete-compressed', 'should', 'sends the digest of compressed bytes, and the same report', 'RFC 9530, 3; RFC 9110, 12.5.3', 'Accept-Encoding: gzip', { headers: { 'Accept-Encoding': 'gzip' } }, compressedAgrees],
  ['complete-no-store', 'should', 'forbids caches to store the report', 'RFC 9111, 5.2.2.5', 'the plain request', undefined, expects('Cache-Control: no-store', ({ headers }) => /\bno-store\b/.test(headers['cache-control'] ?? ''))],
  ['complete-file-name', 'should', 'names the file of the report', 'RFC 6266', 'the plain request', undefined, expects('Content-Disposition: attachment', ({ headers }) => headers['content-disposition']?.startsWith('attachment') ?? false)],
]

// biome-ignore format: a check is a line of the table
const FORMATS: readonly CheckRow[] = [
  ['format-pdf', 'should', 'sends a file of the format PDF with its media type', 'specification, Report response', 'reportFormat: "PDF"', { members: { reportFormat: 'PDF' } }, sendsFormat('application/pdf', '%PDF-')],
  ['format-xlsx', 'should', 'sends a file of the format XLSX with its media type', 'specification, Report response', 'reportFormat: "XLSX"', { members: { reportFormat: 'XLSX' } }, sendsFormat('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK')],
]

/** How a gateway sends a report. */
export const COMPLETENESS: Subject = {
  name: 'Formats and completeness',
  checks: [
    ...checksOf(PLAIN, digestAgrees).map((check) => ({ ...check, judge: onReport(check.judge) })),
    ...checksOf(FORMATS, digestAgrees),
  ],
}

function headerRow(body: Buffer): string {
  return body.toString().split('\n', 1)[0] ?? ''
}

function unzip(body: Buffer): Buffer {
  try {
    return gunzipSync(body)
  } catch {
    return Buffer.alloc(0)
  }
}
