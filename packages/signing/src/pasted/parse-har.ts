import { SigningError } from '../refusals/signing-error.ts'

/** What a person pasted of a request. */
export interface PastedRequest {
  readonly method?: string
  readonly url?: string
  readonly authorization?: string
  readonly contentType?: string
  readonly body?: string
  /** When the request was sent, in seconds since 1970. */
  readonly sentAtSeconds?: number
}

/** Creates the error for a text that cannot be read as a request. */
export function wrongPaste(problem: string, options?: ErrorOptions): SigningError {
  return new SigningError('options', problem, options)
}

type Members = Readonly<Record<string, unknown>>

/**
 * Reads an entry of a HAR file (HTTP Archive 1.2), or a HAR file with one signed request.
 *
 * @throws {SigningError} `options` for any other JSON
 */
export function parseHar(text: string): PastedRequest {
  const content = membersOf(parse(text))
  const entries = asArray(membersOf(content['log'])['entries'] ?? [content]).map(membersOf)
  const signed = entries.filter((entry) => headerOf(requestOf(entry), 'authorization'))
  const [entry, ...others] = signed.length > 0 ? signed : entries
  if (!entry || typeof requestOf(entry)['url'] !== 'string') {
    throw wrongPaste(
      'expected an entry of a HAR file: { "request": { "method", "url", "headers" } }',
    )
  }
  if (others.length > 0) {
    throw wrongPaste(`expected one signed request, got ${signed.length}: paste its entry alone`)
  }
  const request = requestOf(entry)
  const post = membersOf(request['postData'])
  const sentAt = Date.parse(textOf(entry['startedDateTime']) ?? '')
  const facts = {
    method: textOf(request['method']),
    url: textOf(request['url']),
    authorization: headerOf(request, 'authorization'),
    contentType: headerOf(request, 'content-type') ?? textOf(post['mimeType']),
    body: textOf(post['text']),
    sentAtSeconds: Number.isNaN(sentAt) ? undefined : Math.floor(sentAt / 1000),
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

function requestOf(entry: Members): Members {
  // The request alone also counts as an entry.
  return membersOf(entry['request'] ?? entry)
}

function headerOf(request: Members, wanted: string): string | undefined {
  const headers = asArray(request['headers'] ?? []).map(membersOf)
  const header = headers.find(({ name }) => textOf(name)?.toLowerCase() === wanted)
  return textOf(header?.['value'])
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw wrongPaste('expected JSON: an entry of a HAR file', { cause })
  }
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
