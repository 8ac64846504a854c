import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { HEADERS, parseReprDigest } from '@counterfoil/protocol'
import { type Answer, isReport, mediaTypeOf } from '../answer.ts'
import type { Check, Finding, Subject } from '../check.ts'
import { check, type CheckTexts, find, findTexts } from '../make-checks.ts'
import { parseStrictCsv } from '../parse-strict-csv.ts'

const lookUp = findTexts(`
complete-framing | must | ends the report as HTTP says | RFC 9112, 8 | the plain request
complete-digest | should | sends the digest of the bytes | RFC 9530, 3 | the plain request
complete-rows | should | sends the number of rows | docs/protocol.md, The report's headers and trailers | the plain request
complete-compressed | should | sends the digest of compressed bytes, and the same report | RFC 9530, 3; RFC 9110, 12.5.3 | Accept-Encoding: gzip
complete-no-store | should | forbids caches to store the report | RFC 9111, 5.2.2.5 | the plain request
complete-file-name | should | names the file of the report | RFC 6266 | the plain request
`)

const NO_DIGEST: Finding = { skip: 'the gateway sends no digest' }
const NO_ROWS: Finding = { skip: 'the gateway sends no number of rows' }

const CHECKS: readonly Check[] = [
  onReport(lookUp('complete-framing'), (answer) =>
    find(answer.isComplete, 'the end of the body', answer),
  ),
  onReport(lookUp('complete-digest'), (answer) => digestFinding(answer)),
  onReport(lookUp('complete-rows'), (answer) => {
    const rows = answer.trailers[HEADERS.rows.toLowerCase()]
    if (rows === undefined) return NO_ROWS
    const counted = parseStrictCsv(answer.body.toString(), ',').records.length - 1
    return { isRight: rows === String(counted), expected: `${counted} rows`, got: `${rows} rows` }
  }),
  check(lookUp('complete-compressed'), async (gateway) => {
    const answer = await gateway.ask({ headers: { 'Accept-Encoding': 'gzip' } })
    if (!isReport(answer)) return find(false, 'the report', answer)
    if (answer.headers['content-encoding'] !== 'gzip')
      return { skip: 'the gateway does not compress' }
    const plain = (await gateway.plainAnswer()).body
    if (headerOf(unzip(answer.body)) !== headerOf(plain)) {
      return find(false, 'the same header row after decompression', answer)
    }
    return digestFinding(answer)
  }),
  onReport(lookUp('complete-no-store'), (answer) =>
    find(
      /\bno-store\b/.test(answer.headers['cache-control'] ?? ''),
      'Cache-Control: no-store',
      answer,
    ),
  ),
  onReport(lookUp('complete-file-name'), (answer) =>
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
