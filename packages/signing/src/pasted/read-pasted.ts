import { CURL_CHARACTERS_MAX } from '../refusals/limits.ts'
import { parseCurl } from './parse-curl.ts'
import { parseHar, type PastedRequest, wrongPaste } from './parse-har.ts'

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
  if (pasted.startsWith('{')) return parseHar(pasted)
  if (/^(?:[$+]\s+)?curl\s/.test(pasted)) {
    if (pasted.length <= CURL_CHARACTERS_MAX) return await parseCurl(pasted, readBody)
    throw wrongPaste('the curl command line is too long: pass the body apart')
  }
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
