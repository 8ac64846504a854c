import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type {
  Catalogue,
  FilterName,
  FilterValues,
  Problem,
  ReportRequest,
} from '@counterfoil/protocol'
import { type SignOptions, sign } from '@counterfoil/signing'
import { expect } from 'vitest'
import type { Login, Sandbox } from './sandbox.ts'

/** The gateway to ask. */
export interface Asked {
  readonly sandbox: Sandbox
  /** The URL to sign: the report URL, or the URL of another signed path. */
  readonly reportUrl: string
}

/** How a request differs from the usual one, before or after it is signed. */
export interface AskOptions {
  readonly method?: string
  /** A query, added to the URL and signed. */
  readonly query?: string
  readonly key?: 'hmac' | 'rsa'
  readonly login?: string
  readonly contentType?: string
  readonly signing?: SignOptions
  /** Headers to add or replace. `undefined` removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** A query that is added to the address after signing. */
  readonly sentQuery?: string
  /** An address to send to instead of the signed URL. */
  readonly url?: string
  /** A body to send instead of the signed body. */
  readonly body?: Uint8Array | string
  readonly signal?: AbortSignal
}

/** A complete answer. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly trailers: IncomingMessage['trailers']
  readonly bytes: Buffer
  readonly text: string
}

/** A signed request, ready to send. */
export interface SignedRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The report that most tests request. */
export const LIST: ReportRequest = { reportIdentifier: 'transactions-list' }

/** Signs a request of a login for a gateway. */
export async function signRequest(
  { sandbox, reportUrl }: Asked,
  login: Login,
  request: ReportRequest | object | string | Uint8Array,
  options: AskOptions = {},
): Promise<SignedRequest> {
  const { method = 'POST', contentType = 'application/json', key = 'hmac' } = options
  const raw = typeof request === 'string' || request instanceof Uint8Array
  const body = Buffer.from(raw ? request : JSON.stringify(request))
  const url = reportUrl + (options.query ?? '')
  const signingKey = login[key]
  if (!signingKey) throw new Error(`expected ${login.login} to have a key for ${key}`)
  const credentials = { consumerKey: options.login ?? login.login, key: signingKey }
  const message = { method, url, contentType, body }
  const { authorization, baseString, oauthParameters, signature } = await sign(
    message,
    credentials,
    options.signing,
  )
  const nonce = oauthParameters.find(([name]) => name === 'oauth_nonce')?.[1] ?? ''
  for (const secret of [signature, encodeURIComponent(signature), baseString, nonce]) {
    sandbox.secrets.add(secret)
  }
  if (body.length > 8) sandbox.secrets.add(body.toString())
  const headers = Object.entries({
    Authorization: authorization,
    'Content-Type': contentType,
    ...options.headers,
  }).filter((header): header is [string, string] => header[1] !== undefined)
  return {
    url: (options.url ?? url) + (options.sentQuery ?? ''),
    method,
    headers: Object.fromEntries(headers),
    body: Buffer.from(options.body ?? body),
  }
}

/** Sends a request on its own connection and waits for the headers of the answer. */
export async function send(request: SignedRequest, signal?: AbortSignal): Promise<IncomingMessage> {
  const { url, method, headers, body } = request
  const options = { method, headers, agent: false, ...(signal && { signal }) }
  const sent = requestHttp(url, options)
  sent.on('error', () => {})
  sent.end(body)
  const [answer]: IncomingMessage[] = await once(sent, 'response')
  if (!answer) throw new Error('expected an answer')
  return answer
}

/**
 * Reads an answer to its end.
 *
 * @throws if the connection closes before the end
 */
export async function read(message: IncomingMessage): Promise<Answer> {
  const bytes = await buffer(message)
  const { statusCode: status = 0, headers, trailers } = message
  return { status, headers, trailers, bytes, text: bytes.toString() }
}

/** Sends a request as a login, and waits for the headers of the answer. */
export async function open(
  asked: Asked,
  login: Login,
  request: ReportRequest | object | string | Uint8Array = LIST,
  options: AskOptions = {},
): Promise<IncomingMessage> {
  return await send(await signRequest(asked, login, request, options), options.signal)
}

/** Sends a request as a login, and reads the complete answer. */
export async function ask(
  asked: Asked,
  login: Login,
  request: ReportRequest | object | string | Uint8Array = LIST,
  options: AskOptions = {},
): Promise<Answer> {
  return await read(await open(asked, login, request, options))
}

/** The catalogue that a gateway with a ledger gives. */
type FullCatalogue = Required<Catalogue> & {
  readonly filterValues: Readonly<Record<FilterName, FilterValues>>
}

/** Reads the catalogue of a login. */
export async function readCatalogue(
  { sandbox, reportUrl }: Asked,
  login: Login,
): Promise<FullCatalogue> {
  const asked = { sandbox, reportUrl: `${reportUrl}/catalogue` }
  // The login `strict` has to sign its body.
  const { status, headers, text } = await ask(
    asked,
    login,
    {},
    { signing: { bodyHash: 'SHA-256' } },
  )
  if (status !== 200 || headers['content-type'] !== 'application/json') throw new Error(text)
  return JSON.parse(text)
}

/** Expects that every report of a login has the same bytes from two gateways. Returns the number of rows. */
export async function expectSameReports(one: Asked, other: Asked, role: keyof Sandbox['logins']) {
  const login = one.sandbox.logins[role]
  const { reports } = await readCatalogue(one, login)
  let rows = 0
  for (const { example } of reports) {
    const expected = await ask(other, login, example)
    const answer = await ask(one, login, example)
    expect([answer.status, answer.text]).toEqual([200, expected.text])
    expect(answer.trailers).toEqual(expected.trailers)
    rows += Number(answer.trailers['counterfoil-rows'])
  }
  return rows
}

type Values = Readonly<Record<string, string>>

/** The parameters of a report request, from their names and values. */
export function parameters(inputs: Values, configuration: Values = {}) {
  const listOf = (values: Values) => {
    return Object.entries(values).map(([name, value]) => {
      return { type: 'INPUT_TEXT', name, value } as const
    })
  }
  const configurationReportParameters = listOf(configuration)
  return {
    inputReportParameters: listOf(inputs),
    ...(configurationReportParameters.length > 0 && { configurationReportParameters }),
  }
}

/** Parses the problem in an answer. */
export function problemIn({ headers, text }: Answer): Problem {
  if (headers['content-type'] !== 'application/problem+json') {
    throw new Error(`expected a problem, got ${headers['content-type']}: ${text.slice(0, 200)}`)
  }
  return JSON.parse(text)
}
