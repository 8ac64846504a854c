import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { NetworkError } from '@counterfoil/client'
import { REFUSAL_JSON_MEDIA_TYPE } from '@counterfoil/protocol'
import type { RequestToVerify } from '@counterfoil/signing'
import { headOfAnswer } from '../connection/head-of-answer.ts'
import { UsageError } from '../usage-error.ts'

/** What a sandbox answers to a refused request (docs/errors.md, "Refusals"). */
export interface SandboxRefusal {
  readonly baseString: string
  /** How many characters at its end the sandbox left out. */
  readonly leftOut: number
  readonly mistake: string | undefined
}

const TIMEOUT_MS = 15_000
const ANSWER_LENGTH_MAX = 64 * 1024

/**
 * Sends a request to its sandbox again, exactly as it is, and returns the base string of the refusal. The sandbox
 * masks digits in it with `*`.
 *
 * @param ca certificates to trust instead of the system's
 * @throws {UsageError} if the gateway is not a sandbox, or does not refuse the request
 * @throws {NetworkError} if there is no answer
 */
export async function askSandbox(
  request: RequestToVerify,
  { ca, signal }: { readonly ca: string | undefined; readonly signal: AbortSignal },
): Promise<SandboxRefusal> {
  const url = URL.parse(String(request.url))
  if (!url) throw new UsageError('--gateway: expected the URL of the request as --url')
  const environment = await readEnvironment(url, { ca, signal })
  if (environment !== 'sandbox') {
    const found = environment === 'production' ? 'in production' : 'no gateway with discovery'
    throw new UsageError(
      `--gateway asks a sandbox only, and ${url.origin} is ${found}: nothing was sent`,
    )
  }
  const { authorization, contentType, method, body } = request
  const headers = {
    Accept: REFUSAL_JSON_MEDIA_TYPE,
    ...(authorization && { Authorization: [authorization].flat().join(', ') }),
    ...(contentType && { 'Content-Type': contentType }),
  }
  const answer = await send(url, { method, headers, ca, signal }, body)
  const refusal = parse(answer)
  if (typeof refusal?.['baseString'] !== 'string') {
    throw new UsageError('--gateway: the sandbox did not refuse the request with a base string')
  }
  const { baseString, baseStringCharactersLeftOut: leftOut, mistake } = refusal
  const sentence = new Map(Object.entries(mistake ?? {})).get('sentence')
  return {
    baseString,
    leftOut: Number(leftOut ?? 0),
    mistake: typeof sentence === 'string' ? sentence : undefined,
  }
}

async function readEnvironment(
  url: URL,
  options: { readonly ca: string | undefined; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const discovery = new URL('/.well-known/counterfoil', url)
  const environment = parse(await send(discovery, { method: 'GET', headers: {}, ...options }))?.[
    'environment'
  ]
  return typeof environment === 'string' ? environment : undefined
}

async function send(
  url: URL,
  options: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly ca: string | undefined
    readonly signal: AbortSignal
  },
  body?: Uint8Array,
): Promise<string> {
  const { ca, signal, ...rest } = options
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    const create = url.protocol === 'https:' ? requestHttps : requestHttp
    const trusted = { ...rest, ...(ca !== undefined && { ca }) }
    const sent = create(url, { ...trusted, agent: false, signal: timeout })
    const head = headOfAnswer(sent)
    sent.end(body)
    return await readStart(await head)
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new NetworkError(`no answer from ${url.origin}: ${reason}`, false, { cause })
  }
}

/** Reads a refusal. A report, which may be long, is cut. */
async function readStart(response: IncomingMessage): Promise<string> {
  let answer = ''
  for await (const chunk of response.setEncoding('utf8')) {
    answer += String(chunk)
    if (answer.length > ANSWER_LENGTH_MAX) break
  }
  return answer
}

function parse(answer: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(answer)
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value))
      : undefined
  } catch {
    return undefined
  }
}
