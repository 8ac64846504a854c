import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { HEADERS, parseReprDigest } from '@counterfoil/protocol'
import { type Answer, isReport, mediaTypeOf } from '../answer.ts'
import type { Check, Finding, Subject } from '../check.ts'
import { check, type CheckTexts, find } from '../make-checks.ts'
import { parseStrictCsv } from '../parse-strict-csv.ts'

const NO_DIGEST: Finding = { skip: 'the gateway sends no digest' }
const NO_ROWS: Finding = { skip: 'the gateway sends no number of rows' }
const SENT = 'the plain request'

const CHECKS: readonly Check[] = [
  onReport(
    {
      id: 'complete-framing',
      title: 'ends the report as HTTP says',
      clause: 'RFC 9112, 8',
      sent: SENT,
    },
    (answer) => find(answer.isComplete, 'the end of the body', answer),
  ),
  onReport(
    {
      id: 'complete-digest',
      title: 'sends the digest of the bytes',
      clause: 'RFC 9530, 3',
      level: 'should',
      sent: SENT,
    },
    (answer) => digestFinding(answer),
  ),
  onReport(
    {
      id: 'complete-rows',
      title: 'sends the number of rows',
      clause: "docs/protocol.md, The report's headers and trailers",
      level: 'should',
      sent: SENT,
    },
    (answer) => {
      const rows = answer.trailers[HEADERS.rows.toLowerCase()]
      if (rows === undefined) return NO_ROWS
      const counted = parseStrictCsv(answer.body.toString(), ',').records.length - 1
      return { isRight: rows === String(counted), expected: `${counted} rows`, got: `${rows} rows` }
    },
  ),
  check(
    {
      id: 'complete-compressed',
      title: 'sends the digest of compressed bytes, and the same report',
      clause: 'RFC 9530, 3; RFC 9110, 12.5.3',
      level: 'should',
      sent: 'Accept-Encoding: gzip',
    },
    async (gateway) => {
      const answer = await gateway.ask({ headers: { 'Accept-Encoding': 'gzip' } })
      if (!isReport(answer)) return find(false, 'the report', answer)
      if (answer.headers['content-encoding'] !== 'gzip')
        return { skip: 'the gateway does not compress' }
      const plain = (await gateway.plainAnswer()).body
      if (headerOf(unzip(answer.body)) !== headerOf(plain)) {
        return find(false, 'the same header row after decompression', answer)
      }
      return digestFinding(answer)
    },
  ),
  onReport(
    {
      id: 'complete-no-store',
      title: 'forbids caches to store the report',
      clause: 'RFC 9111, 5.2.2.5',
      level: 'should',
      sent: SENT,
    },
    (answer) =>
      find(
        /\bno-store\b/.test(answer.headers['cache-control'] ?? ''),
        'Cache-Control: no-store',
        answer,
      ),
  ),
  onReport(
    {
      id: 'complete-file-name',
      title: 'names the file of the report',
      clause: 'RFC 6266',
      level: 'should',
      sent: SENT,
    },
    (answer) =>
      find(
        (answer.headers['content-disposition'] ?? '').startsWith('attachment'),
        'Content-Disposition: attachment',
        answer,
      ),
  ),
  format('PDF', 'application/pdf', '%PDF-'),
  format('XLSX', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK'),
]

/** How a gateway sends a report. */
export const COMPLETENESS: Subject = { name: 'Formats and completeness', checks: CHECKS }

function onReport(texts: CheckTexts, judge: (answer: Answer) => Finding): Check {
  return check(texts, async (gateway) => {
    const answer = await gateway.plainAnswer()
    return isReport(answer) ? judge(answer) : find(false, 'the report', answer)
  })
}

function digestFinding({ body, trailers, headers }: Answer): Finding {
  const name = HEADERS.reprDigest.toLowerCase()
  const sent = trailers[name] ?? headers[name]
  if (typeof sent !== 'string') return NO_DIGEST
  const digest = createHash('sha256').update(body).digest('base64')
  return { isRight: parseReprDigest(sent) === digest, expected: digest, got: sent }
}

/** Makes a check of a format that the gateway may have. */
function format(name: string, mediaType: string, start: string): Check {
  const texts: CheckTexts = {
    id: `format-${name.toLowerCase()}`,
    title: `sends a file of the format ${name} with its media type`,
    clause: 'specification, Report response',
    level: 'should',
    sent: `reportFormat: "${name}"`,
  }
  return check(texts, async (gateway) => {
    const answer = await gateway.ask({}, { ...gateway.report, reportFormat: name })
    if (answer.status >= 400) return { skip: `the report has no ${name}` }
    const isRight =
      isReport(answer) &&
      mediaTypeOf(answer) === mediaType &&
      answer.body.subarray(0, start.length).toString() === start
    return find(isRight, `${mediaType}, and a body that begins "${start}"`, answer)
  })
}

function headerOf(body: Buffer): string {
  return body.toString().split('\n', 1)[0] ?? ''
}

function unzip(body: Buffer): Buffer {
  try {
    return gunzipSync(body)
  } catch {
    return Buffer.alloc(0)
  }
}
