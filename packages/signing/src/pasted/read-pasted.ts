import type { SigningError } from '../refusals/signing-error.ts'
import { parseCurl, type PastedRequest, wrongPaste } from './parse-curl.ts'

export type { PastedRequest } from './parse-curl.ts'

/**
 * Reads a pasted Authorization header, a curl command line, or an entry of a HAR file.
 *
 * @param readBody reads the file that a curl command line names with `@`
 * @throws {SigningError} `options` for any other text; `encoding` for text that is not well-formed Unicode.
 * @example
 * const line = "curl https://gate.example.com/a -H 'Authorization: OAuth oauth_nonce=\"1\"' -d a=1"
 * const pasted = await readPasted(line)
 * pasted.method // 'POST'
 * pasted.body // 'a=1'
 */
export async function readPasted(
  text: string,
  readBody: (file: string) => Promise<string> = withoutFiles,
): Promise<PastedRequest> {
  const pasted = text.trim()
  if (pasted.startsWith('{')) return readEntry(findEntry(pasted))
  if (/^(?:[$+]\s+)?curl\s/.test(pasted)) return await parseCurl(pasted, readBody)
  // The header alone, or with the quotes of a shell around it.
  const [start = '', quote = ''] = /^(?:-H\s+)?(['"]?)authorization:/i.exec(pasted) ?? []
  const end = pasted.endsWith(quote) ? pasted.length - quote.length : pasted.length
  // A line break that the terminal or a mail added is no part of the header.
  const lines = pasted.slice(start.length, end).split('\n')
  const header = lines
    .map((line) => line.trim())
    .join(' ')
    .trim()
  if (/^oauth\s/i.test(header)) return { authorization: header }
  const kinds = 'an Authorization header, a curl command line, or an entry of a HAR file'
  throw wrongPaste(`expected ${kinds}. An Authorization header begins with OAuth`)
}

async function withoutFiles(file: string): Promise<string> {
  throw wrongPaste(`the curl command line names the file ${file}: pass its content as the body`)
}

/** An entry of a HAR file (HTTP Archive 1.2), as far as it is needed. */
interface HarEntry {
  readonly startedDateTime?: string
  readonly request: {
    readonly method?: string
    readonly url: string
    readonly headers?: readonly { readonly name: string; readonly value: string }[]
    readonly postData?: { readonly mimeType?: string; readonly text?: string }
  }
}

/** Finds the entry in a text: the text itself, or the one signed request of a HAR file. */
function findEntry(text: string): HarEntry {
  let entries: readonly HarEntry[]
  try {
    const content = JSON.parse(text)
    entries = content.log?.entries ?? [content]
    const signed = entries.filter((entry) => headerOf(entry, 'authorization'))
    if (signed.length > 0) entries = signed
  } catch (cause) {
    throw wrongEntry({ cause })
  }
  const [entry, ...others] = entries
  if (typeof entry?.request.url !== 'string') throw wrongEntry()
  if (others.length === 0) return entry
  throw wrongPaste(`expected one signed request, got ${entries.length}: paste its entry alone`)
}

function readEntry(entry: HarEntry): PastedRequest {
  const { method, url, postData } = entry.request
  const sentAt = Date.parse(entry.startedDateTime ?? '')
  return {
    method,
    url,
    authorization: headerOf(entry, 'authorization'),
    contentType: headerOf(entry, 'content-type') ?? postData?.mimeType,
    body: postData?.text,
    sentAtSeconds: Number.isNaN(sentAt) ? undefined : Math.floor(sentAt / 1000),
  }
}

function headerOf({ request }: HarEntry, wanted: string): string | undefined {
  return request.headers?.find(({ name }) => name.toLowerCase() === wanted)?.value
}

function wrongEntry(options?: ErrorOptions): SigningError {
  const expected = 'expected an entry of a HAR file: { "request": { "method", "url", "headers" } }'
  return wrongPaste(expected, options)
}
