import { UsageError } from '../usage-error.ts'
import { parseCurl } from './parse-curl.ts'
import { parseHar } from './parse-har.ts'
import type { PastedRequest } from './pasted-request.ts'

/**
 * Reads a pasted Authorization header, a curl command line, or an entry of a HAR file.
 *
 * @param readBody reads the file that a curl command line names with `@`
 * @throws {UsageError} for any other text
 */
export async function readPasted(
  text: string,
  readBody: (file: string) => Promise<string>,
): Promise<PastedRequest> {
  const pasted = text.trim()
  if (pasted.startsWith('{')) return parseHar(pasted)
  if (/^(?:\$\s+)?curl\s/.test(pasted)) return await parseCurl(pasted, readBody)
  // The header alone, or with the quotes of a shell around it.
  const [, , header = pasted] = /^(?:-H\s+)?(['"]?)authorization:\s*([^]*)\1$/i.exec(pasted) ?? []
  // A line break that the terminal or a mail added is no part of the header.
  if (/^oauth\s/i.test(header)) return { authorization: header.replaceAll(/\s*\n\s*/g, ' ') }
  const kinds = 'an Authorization header, a curl command line, or an entry of a HAR file'
  throw new UsageError(`expected ${kinds}. An Authorization header begins with OAuth`)
}
