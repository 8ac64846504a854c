import { NetworkError } from '@counterfoil/client'
import { REFUSAL_JSON_MEDIA_TYPE } from '@counterfoil/protocol'
import { firstDifference, type RequestToVerify } from '@counterfoil/signing'
import { exchange, NO_ANSWER, type RawRequest } from '../connection/exchange.ts'
import { describeDifference } from './describe-diagnosis.ts'
import { jsonLine, printableLine } from '../print/text.ts'
import { UsageError } from '../usage-error.ts'

/** What a sandbox answers to a refused request (docs/errors.md, "Refusals"). */
interface SandboxRefusal {
  readonly baseString: string
  /** How many characters at its end the sandbox left out. */
  readonly leftOut: number
  readonly mistake: string | undefined
}

/** The certificates to trust instead of the system's, and what ends the requests. */
interface AskOptions {
  readonly ca: string | undefined
  readonly signal: AbortSignal
}

const LIMITS = { timeoutMs: 15_000, bytesMax: 64 * 1024 }

/**
 * Sends a request to its sandbox again, exactly as it is, and returns the base string of the refusal. The sandbox
 * masks digits in it with `*`.
 *
 * @throws {UsageError} if the gateway is not a sandbox, or does not refuse the request
 * @throws {NetworkError} if there is no answer
 */
export async function askSandbox(
  request: RequestToVerify,
  options: AskOptions,
): Promise<SandboxRefusal> {
  const url = URL.parse(String(request.url))
  if (!url) throw new UsageError('--gateway: expected the URL of the request as --url')
  const discovery = new URL('/.well-known/counterfoil', url).href
  const empty = { headers: {}, body: new Uint8Array() }
  const { environment } = await ask({ method: 'GET', url: discovery, ...empty }, options)
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
  const refusal = await ask({ method, url: url.href, headers, body }, options)
  const { baseString, baseStringCharactersLeftOut: leftOut, mistake } = refusal
  if (typeof baseString !== 'string') {
    throw new UsageError('--gateway: the sandbox did not refuse the request with a base string')
  }
  const { sentence } = Object(mistake)
  return {
    baseString,
    leftOut: Number(leftOut ?? 0),
    mistake: typeof sentence === 'string' ? sentence : undefined,
  }
}

/**
 * Sends a request, and returns the members of the JSON in its answer. Other answers, such as a report, have none.
 *
 * @throws {NetworkError} if the connection ends inside the answer
 */
async function ask(
  request: RawRequest,
  options: AskOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { body, isComplete } = await exchange(request, { ...options, ...LIMITS })
  if (!isComplete && body.length <= LIMITS.bytesMax) {
    options.signal.throwIfAborted()
    const { host } = new URL(request.url)
    throw new NetworkError(`${NO_ANSWER} from ${host}: the connection ended too early`, false)
  }
  try {
    return Object(JSON.parse(body.toString()))
  } catch {
    return {}
  }
}

const NAMES = ['sandbox', 'here'] as const

/**
 * Compares the sandbox's base string with the one that was built here.
 *
 * @param json writes one line of JSON instead of text
 */
export function compareWithSandbox(
  { baseString: shown, leftOut, mistake }: SandboxRefusal,
  baseString: string | undefined,
  json = false,
): string {
  const own = maskLike(
    shown,
    leftOut > 0 ? (baseString ?? '').slice(0, shown.length) : (baseString ?? ''),
  )
  const difference = firstDifference(shown, own)
  if (json) return jsonLine({ sandbox: { baseString: shown, mistake, difference } })
  const named = mistake === undefined ? '' : `The sandbox says: ${printableLine(mistake)}\n`
  if (!difference) return `\n${named}The sandbox builds the same base string as this command.\n`
  const advice = 'The sandbox signs another URL than you sent, or it received another body.\n'
  return `\n${named}${advice}${describeDifference(difference, NAMES)}`
}

/** Masks the characters of a text that the sandbox masks. A base string has no `*` of its own. */
function maskLike(shown: string, text: string): string {
  return Array.from(text, (character, index) => (shown[index] === '*' ? '*' : character)).join('')
}
