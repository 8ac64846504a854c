import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import {
  createMemoryNonces,
  importControlKey,
  parseAuthorization,
  percentEncode,
  verify,
} from '@counterfoil/signing'
import { onTestFinished } from 'vitest'

/** A login of the gateway. */
export const LOGIN = 'shop'
export const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'

const TITLES = ['Transaction_id', 'Created_date', 'Amount', 'Currency', 'Order_description']
const ROW = ['7', '2026-05-01 10:00:00', '10.420', 'EUR', 'a "quoted", text\r\nof two lines']
const ARRAYS = ['configurationReportParameters', 'inputReportParameters', 'outputReportParameters']

/** How a gateway deviates from the specification. */
export interface Deviation {
  readonly acceptsAll?: boolean
  readonly ignoresNonces?: boolean
  readonly ignoresClock?: boolean
  readonly ignoresQuery?: boolean
  /** Reads only parameters that need no encoding. */
  readonly refusesEncoded?: boolean
  readonly keyWithoutAmpersand?: boolean
  /** Answers unauthorised callers. */
  readonly refusal?: (response: ServerResponse) => void
  /** Changes the CSV of a report. */
  readonly csv?: (csv: string) => string
  /** Ends each report too early. */
  readonly cutsReports?: boolean
  readonly wrongDigest?: boolean
  /** Sends nothing after so many requests. */
  readonly diesAfter?: number
}

/**
 * Starts a small gateway that is not Counterfoil, and returns its report URL. It follows the specification but for its
 * deviation. It has one report, and no formats, encodings or operations.
 */
export async function startOtherGateway(deviation: Deviation = {}): Promise<string> {
  const nonces = createMemoryNonces()
  const keys = [await importControlKey(CONTROL_KEY)]
  let requests = 0
  const isAuthorised = async (request: IncomingMessage, body: Buffer): Promise<boolean> => {
    const { method = '', url = '', headers } = request
    if (deviation.acceptsAll) return true
    if (deviation.refusesEncoded && /%(?!2[BFbf]|3[Dd])/.test(url + headers.authorization))
      return false
    const verified = await verify(
      {
        method,
        url: new URL(deviation.ignoresQuery ? url.replace(/\?.*/, '') : url, endpoint).href,
        authorization: request.headersDistinct['authorization'],
        contentType: headers['content-type'],
        body,
      },
      {
        findConsumer: (login) => (login === LOGIN ? { keys } : undefined),
        spendNonce: deviation.ignoresNonces ? () => 'spent' : nonces.spendNonce,
        ...(deviation.ignoresClock && { timestampToleranceSeconds: 1e12 }),
      },
    )
    const isKeyWrong = !verified.ok && verified.step === 'signature'
    if (!isKeyWrong || !deviation.keyWithoutAmpersand) return verified.ok
    const key = percentEncode(CONTROL_KEY)
    const mac = createHmac('sha1', key)
      .update(verified.baseString ?? '')
      .digest('base64')
    const sent = parseAuthorization(headers.authorization ?? '').parameters
    return sent.some(([, value]) => value === mac)
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests += 1
    if (requests > (deviation.diesAfter ?? Number.POSITIVE_INFINITY)) return void response.destroy()
    const body = await buffer(request)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    if (!(await isAuthorised(request, body))) return refuse(response, deviation)
    const delimiter = readDelimiter(body)
    if (delimiter === undefined)
      return void response.writeHead(400).end('The request is not valid.')
    sendReport(response, writeCsv(delimiter), deviation)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}/reports/v2`
  return endpoint
}

function refuse(response: ServerResponse, { refusal }: Deviation): void {
  if (refusal) return refusal(response)
  response.writeHead(200, { 'Content-Type': 'text/plain' })
  response.end('You are not authorised to do this.')
}

/** Reads the delimiter of a request. Returns undefined if the request is not valid. */
function readDelimiter(body: Buffer): string | undefined {
  try {
    const request = Object(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)))
    const { reportIdentifier, reportCsvDelimiter = ',', filters = {}, ...others } = request
    const isKnown = reportIdentifier === 'list' && /^(CSV)?$/.test(others.reportFormat ?? '')
    const arrays = [...ARRAYS.map((name) => others[name] ?? []), ...Object.values(filters)]
    const isTyped = !Array.isArray(filters) && arrays.every(Array.isArray)
    const isRight = isKnown && isTyped && reportCsvDelimiter.length === 1
    return isRight ? String(reportCsvDelimiter)[0] : undefined
  } catch {
    return undefined
  }
}

function writeCsv(delimiter: string): string {
  const lines = [TITLES, ROW].map((fields) => {
    return fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(delimiter)
  })
  return `${lines.join('\r\n')}\r\n`
}

function sendReport(response: ServerResponse, written: string, deviation: Deviation): void {
  const csv = deviation.csv?.(written) ?? written
  response.writeHead(200, { 'Content-Type': 'text/csv', Trailer: 'Repr-Digest' }).write(csv)
  if (deviation.cutsReports) return void setImmediate(() => response.destroy())
  const hashed = deviation.wrongDigest ? 'other bytes' : csv
  const digest = createHash('sha256').update(hashed).digest('base64')
  response.addTrailers({ 'Repr-Digest': `sha-256=:${digest}:` })
  response.end()
}
