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

/**
 * Reads an entry of a HAR file (HTTP Archive 1.2), or a HAR file with one signed request.
 *
 * @throws {SigningError} `options` for any other JSON
 */
export function parseHar(text: string): PastedRequest {
  const content = parse(text)
  const entries = listOf(content, 'log', 'entries') ?? [content]
  const signed = entries.filter((entry) => headerOf(entry, 'authorization'))
  const [entry, ...others] = signed.length > 0 ? signed : entries
  const url = textOf(entry, 'request', 'url')
  if (url === undefined) {
    throw wrongPaste(
      'expected an entry of a HAR file: { "request": { "method", "url", "headers" } }',
    )
  }
  if (others.length > 0) {
    throw wrongPaste(`expected one signed request, got ${signed.length}: paste its entry alone`)
  }
  const sentAt = Date.parse(textOf(entry, 'startedDateTime') ?? '')
  const facts = {
    method: textOf(entry, 'request', 'method'),
    url,
    authorization: headerOf(entry, 'authorization'),
    contentType:
      headerOf(entry, 'content-type') ?? textOf(entry, 'request', 'postData', 'mimeType'),
    body: textOf(entry, 'request', 'postData', 'text'),
    sentAtSeconds: Number.isNaN(sentAt) ? undefined : Math.floor(sentAt / 1000),
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw wrongPaste('expected JSON: an entry of a HAR file', { cause })
  }
}

function headerOf(entry: unknown, wanted: string): string | undefined {
  const headers = listOf(entry, 'request', 'headers') ?? []
  const header = headers.find((one) => textOf(one, 'name')?.toLowerCase() === wanted)
  return textOf(header, 'value')
}

function textOf(value: unknown, ...path: readonly string[]): string | undefined {
  const found = memberOf(value, path)
  return typeof found === 'string' ? found : undefined
}

function listOf(value: unknown, ...path: readonly string[]): readonly unknown[] | undefined {
  const found = memberOf(value, path)
  return Array.isArray(found) ? found : undefined
}

function memberOf(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    return typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined
  }, value)
}
