import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReportRequest } from '@counterfoil/protocol'
import type { DemoLogin } from '../packages/gateway/src/demo/demo-logins.ts'
import { signAs } from './sign-as.ts'

/** A report that was read to its end and discarded. */
export interface ReadReport {
  readonly bytes: number
  readonly firstByteMs: number
  readonly totalMs: number
}

/** The gateway to ask, and the login to ask as. */
export interface Asked {
  readonly reportUrl: string
  readonly operator: DemoLogin
}

/** Requests a report as the operator and reads it with curl, which is a separate process like a merchant's client. */
export async function readWithCurl(
  { reportUrl, operator }: Asked,
  request: ReportRequest,
  headers: Readonly<Record<string, string>> = {},
  file = '/dev/null',
): Promise<ReadReport> {
  const authorization = await signAs(operator, reportUrl)
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'))
  const headersFile = join(directory, 'headers')
  const sent = { Authorization: authorization, 'Content-Type': 'application/json', ...headers }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\n`)
  writeFileSync(headersFile, lines.join(''))
  const written =
    '%{http_code} %{size_download} %{time_starttransfer} %{time_total} %{content_type}'
  const curl = spawn(
    'curl',
    ['-sS', '-o', file, '-w', written, '-H', `@${headersFile}`, '-d', '@-', reportUrl],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  curl.stdin.end(JSON.stringify(request))
  const [[code], output] = await Promise.all([once(curl, 'close'), text(curl.stdout)])
  rmSync(directory, { recursive: true })
  const [status, bytes, first, total, type] = output.split(/ +/)
  // A refusal has the status 200 too.
  if (code !== 0 || status !== '200' || type?.startsWith('text/plain') !== false) {
    throw new Error(`expected a whole report; curl ended with ${code}: ${output}`)
  }
  return { bytes: Number(bytes), firstByteMs: Number(first) * 1000, totalMs: Number(total) * 1000 }
}

async function text(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
