import { createHash, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import {
  type Catalogue,
  type CatalogueParameter,
  type CatalogueReport,
  formatReprDigest,
  type ReportRequest,
  type Run,
} from '@counterfoil/protocol'
import {
  type Consumer,
  importControlKey,
  importPublicKey,
  isForm,
  type Parameter,
  parseForm,
  verify,
} from '@counterfoil/signing'
import { afterEach, beforeEach, onTestFinished } from 'vitest'
import { type ConnectionOptions, CounterfoilClient } from '../src/index.ts'

/** The folder of the test that runs. It is empty before each test of a file that calls {@link useFolder}. */
export let folder = ''

/** Gives each test of a file a folder of its own. */
export function useFolder(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
}

/** The fixture's merchants: `shop` signs with the control key, `shop-rsa` with the private key. */
export const LOGIN = 'shop'
export const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'
export const RSA_LOGIN = 'shop-rsa'
/** Signs with the same control key, and must sign the body too. */
export const BODY_LOGIN = 'shop-body'
export const PASSPHRASE = 'a passphrase'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const PRIVATE_KEY = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
export const ENCRYPTED_PRIVATE_KEY = privateKey
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: PASSPHRASE })
  .toString()

/** A CSV of three rows, with quotes, line breaks, delimiters and emoji in its fields. */
export const CSV =
  '"Id","Words"\r\n"1","a ""b"", c"\r\n"2","line\r\nbreak, \u{1F4C4}"\r\n"3",""\r\n'
export const CSV_ROWS = 3
/** The value of `Counterfoil-Newest-Row`. */
export const NEWEST_ROW = '2026-10-31T22:10:59Z'

/** A request whose signature was verified. */
export interface Received {
  readonly login: string
  readonly headers: IncomingMessage['headers']
  readonly path: string
  /** The request, if it came to the report URL. */
  readonly request: ReportRequest | undefined
  /** The form of an operation, in the order of its fields. */
  readonly form: readonly Parameter[] | undefined
}

/** Answers a request with a valid signature. */
export type Handler = (response: ServerResponse, received: Received) => Promise<void> | void

/** A listening fixture. */
export interface FixtureGateway {
  readonly endpoint: string
  readonly received: readonly Received[]
  /** Stops listening. The end of the test calls it too. */
  close(): Promise<void>
}

/**
 * Starts a server that verifies the signature of each request. `handle` answers requests for reports and operations,
 * `handleRecords` those for the catalogue and for runs, which the fixture does not have by default.
 */
export async function startGateway(
  handle: Handler,
  tls?: ServerOptions,
  handleRecords: Handler = (response) => void response.writeHead(404).end(),
): Promise<FixtureGateway> {
  const received: Received[] = []
  const controlKey = await importControlKey(CONTROL_KEY)
  const spki = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const consumers = new Map<string, Consumer>([
    [LOGIN, { keys: [controlKey] }],
    [BODY_LOGIN, { keys: [controlKey], bodyHashRequired: true }],
    [RSA_LOGIN, { keys: [await importPublicKey(spki)] }],
  ])
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { url: path = '/', headers } = request
    if (path === '/.well-known/counterfoil') {
      return sendAnswer(response, 200, { reportUrl: endpoint })
    }
    if (path === '/.well-known/jwks.json') return sendAnswer(response, 200, { keys: [] })
    const body = await buffer(request)
    const { authorization, 'content-type': contentType } = headers
    const url = new URL(path, endpoint)
    const verification = await verify(
      { method: 'POST', url, authorization, contentType, body },
      { findConsumer: (login) => consumers.get(login), spendNonce: () => 'spent' },
    )
    response.setHeader('Counterfoil-Request-Id', 'request-1')
    if (!verification.ok) return refuse(response, `${verification.step}: ${verification.reason}`)
    const asked = isForm(contentType)
      ? { form: parseForm(body), request: undefined }
      : { form: undefined, request: JSON.parse(body.toString()) as ReportRequest }
    const one = { login: verification.consumerKey, headers, path, ...asked }
    received.push(one)
    const isRecord = /\/(?:catalogue|runs(?:\/[^/]*)?)$/.test(path)
    return isRecord ? handleRecords(response, one) : handle(response, one)
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  }
  const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const endpoint = `${tls ? 'https' : 'http'}://127.0.0.1:${port}/ui/services/v2/rpt-engine`
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  return { endpoint, received, close }
}

/** Creates a client of the fixture for the merchant with the control key. It retries nothing. */
export function connect(
  { endpoint }: FixtureGateway,
  options: ConnectionOptions & { readonly login?: string } = {},
): CounterfoilClient {
  const merchant = { login: LOGIN, controlKey: CONTROL_KEY, retries: 0 }
  return new CounterfoilClient({ endpoint, ...merchant, ...options })
}

/** The parts of a report that a test may falsify. */
export interface ReportShape {
  readonly disposition?: string
  readonly contentType?: string
  /** The trailers; by default the correct ones. `undefined` omits a trailer. */
  readonly digest?: string | undefined
  readonly rows?: string | undefined
  readonly replaced?: string
}

/** Answers with a report in chunks, and with trailers. */
export function sendReport(
  response: ServerResponse,
  csv: string | Buffer = CSV,
  shape: ReportShape = {},
): void {
  beginReport(response, shape)
  const bytes = Buffer.from(csv)
  const sha256 = createHash('sha256').update(bytes).digest('base64')
  const trailers = { digest: formatReprDigest(sha256), rows: String(CSV_ROWS), ...shape }
  for (let at = 0; at < bytes.length; at += 16_384) {
    response.write(bytes.subarray(at, at + 16_384))
  }
  response.addTrailers({
    ...(trailers.digest !== undefined && { 'Repr-Digest': trailers.digest }),
    ...(trailers.rows !== undefined && { 'Counterfoil-Rows': trailers.rows }),
    ...(shape.replaced !== undefined && { 'Counterfoil-Replaced': shape.replaced }),
  })
  response.end()
}

/** Sends the head of a report without its body. */
export function beginReport(
  response: ServerResponse,
  {
    disposition = 'attachment; filename="transactions-list.csv"',
    contentType = 'text/csv; charset=UTF-8',
  }: ReportShape = {},
): void {
  response.writeHead(200, {
    'Content-Type': contentType,
    'Content-Disposition': disposition,
    'Counterfoil-Newest-Row': NEWEST_ROW,
    Trailer: 'Repr-Digest, Counterfoil-Rows',
  })
  response.flushHeaders()
}

/** The manifest of the fixture's report. */
export const RUN = {
  runId: 'request-1',
  login: LOGIN,
  reportIdentifier: 'transactions-list',
  reportName: 'transactions-list',
  outcome: 'complete',
  startedAt: '2026-11-01T10:00:00.000Z',
  endedAt: '2026-11-01T10:00:00.123Z',
  durationMs: 123,
  request: { reportIdentifier: 'transactions-list' },
  timezone: 'UTC',
  parameters: {},
  scope: { role: 'merchant', sees: ['7'] },
  schemaHash: '0f5e4ee8c2b8c1d5',
  newestRow: NEWEST_ROW,
  controlTotals: [{ column: 'Amount', currency: 'EUR', amounts: CSV_ROWS, sum: '1234.500' }],
  file: {
    name: 'transactions-list.csv',
    contentType: 'text/csv; charset=UTF-8',
    rows: CSV_ROWS,
    bytes: Buffer.byteLength(CSV),
    replaced: 0,
    sha256: createHash('sha256').update(CSV).digest('base64'),
  },
} as const satisfies Run

function inputOf(name: string): CatalogueParameter {
  return { name, title: name, type: 'INPUT_DATETIME', required: false, list: false }
}

/** Describes a report of a catalogue, of which a test says what matters to it. */
function catalogued(
  report: Pick<CatalogueReport, 'reportIdentifier' | 'title' | 'columns'> &
    Partial<CatalogueReport>,
): CatalogueReport {
  return {
    description: report.title,
    schemaHash: '0f5e4ee8c2b8c1d5',
    formats: ['CSV'],
    encodings: ['UTF-8'],
    inputReportParameters: [],
    configurationReportParameters: [],
    filters: [],
    currencyFilter: 'transaction',
    example: { reportIdentifier: report.reportIdentifier },
    ...report,
  }
}

/** The catalogue of the fixture. */
const CATALOGUE: Catalogue = {
  login: LOGIN,
  role: 'merchant',
  reports: [
    catalogued({
      reportIdentifier: 'transactions-list',
      title: 'Transactions',
      columns: [
        { name: 'Id', kind: 'id', about: 'the id', optional: false },
        { name: 'Words', kind: 'text', about: 'some words', optional: false },
      ],
      inputReportParameters: [inputOf('dateFrom'), inputOf('changedSince')],
    }),
    catalogued({
      reportIdentifier: 'daily-totals',
      title: 'Totals of each day',
      columns: [],
      inputReportParameters: [inputOf('dateFrom')],
    }),
  ],
}

/** Answers a request for the catalogue or for runs. */
export function sendRecords(response: ServerResponse, { path, headers }: Received): void {
  if (path.endsWith('/catalogue')) return sendAnswer(response, 200, CATALOGUE)
  if (path.endsWith('/runs')) return sendAnswer(response, 200, { runs: [RUN] })
  if (headers.accept?.startsWith('application/json')) return sendAnswer(response, 200, RUN)
  response.writeHead(200, { 'Content-Type': 'application/jose' }).end('aGVhZA.Ym9keQ.c2ln')
}

/** Answers with a refusal at the report URL, which has status 200. */
export function refuse(response: ServerResponse, why: string): void {
  response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' })
  response.end(`You are not authorised to perform this request.\n${why}\n`)
}

/** The answers to an accepted operation, and to a refused one. */
export const ACCEPTED = {
  type: 'async-response',
  'serial-number': 'serial-1',
  'client-order-id': '902B4FF5',
  'merchant-order-id': '902B4FF5',
  'transaction-id': '17',
}
/** Returns the answer to an accepted operation, by the path of the operation. */
export function acceptedOf(path: string): object {
  if (!path.includes('/pan-eligibility/')) return ACCEPTED
  return { ...ACCEPTED, type: 'pan-eligibility-response', status: 'approved' }
}

export const INVALID = {
  type: 'validation-error',
  'serial-number': 'serial-2',
  'error-code': '104',
  'error-message': 'A field is missing. amount: expected this field',
}

/** Returns the prefix of the paths of the fixture's operations. */
export function apiUrlOf({ endpoint }: FixtureGateway): string {
  return new URL('/gate', endpoint).href
}

/** Answers an operation. */
export function sendAnswer(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}
