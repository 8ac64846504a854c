import { percentEncode } from '../parameters/encode.ts'
import { type PastedRequest, wrongPaste } from './pasted-request.ts'
import { hasSubstitution, splitWords } from './split-words.ts'

const FORM_TYPE = 'application/x-www-form-urlencoded'

/** The options with a value that say nothing about the signed request. */
const OTHER_VALUES = new Set(
  [
    '-o --output -D --dump-header -w --write-out -m --max-time --connect-timeout --retry --retry-delay',
    '--cacert --capath -E --cert --key -x --proxy --resolve --connect-to -b --cookie -c --cookie-jar',
    '-A --user-agent -e --referer --ciphers --tls-max --interface --limit-rate --trace --trace-ascii',
  ].flatMap((line) => line.split(' ')),
)

/** The short options with a value, which may follow without a space: `-XPOST`. */
const SHORT_WITH_VALUE = 'XHdoDwmExbcAeuF'

/** Options whose requests this command cannot read. */
const UNSUPPORTED = new Set([
  '-F',
  '--form',
  '-G',
  '--get',
  '-T',
  '--upload-file',
  '-K',
  '--config',
])

interface Found {
  method?: string
  url?: string
  isJson?: boolean
  readonly headers: Map<string, string>
  readonly data: string[]
}

/**
 * Reads a curl command line.
 *
 * @param readBody reads the file that `--data @FILE` names
 * @throws {SigningError} `options` if a quote is open, for text that a shell replaces, or for an option whose request
 * cannot be read; `encoding` for text that is not well-formed Unicode.
 */
export async function parseCurl(
  line: string,
  readBody: (file: string) => Promise<string>,
): Promise<PastedRequest> {
  const command = line.replace(/^[$+]\s+/, '')
  if (hasSubstitution(command)) {
    throw wrongPaste(
      'the curl command line has $(...) or variables, which only a shell replaces: run it after "set -x", and paste the line that the shell prints after "+ "',
    )
  }
  const words = splitWords(command)
  if (!words) throw wrongPaste('the curl command line has a quote that does not end')
  const found: Found = { headers: new Map(), data: [] }
  const rest = words.slice(1)
  for (let index = 0; index < rest.length; index += 1) {
    const [option, attached] = splitOption(rest[index] ?? '')
    if (UNSUPPORTED.has(option)) {
      throw wrongPaste(`cannot read ${option} of a curl command line: pass the body apart`)
    }
    const read = READERS.get(option)
    if (!read) {
      if (!option.startsWith('-')) found.url ??= option
      if (OTHER_VALUES.has(option) && attached === undefined) index += 1
      continue
    }
    const value = attached ?? rest[(index += 1)]
    if (value === undefined) throw wrongPaste(`${option} of the curl command line has no value`)
    await read(found, value, readBody)
  }
  return requestOf(found)
}

type Reader = (
  found: Found,
  value: string,
  readBody: (file: string) => Promise<string>,
) => void | Promise<void>

const setMethod: Reader = (found, value) => {
  found.method = value
}
const addHeader: Reader = ({ headers }, value) => {
  const colon = value.indexOf(':')
  if (colon > 0)
    headers.set(value.slice(0, colon).trim().toLowerCase(), value.slice(colon + 1).trim())
}
const addRaw: Reader = ({ data }, value) => void data.push(value)
const addData: Reader = async ({ data }, value, readBody) => {
  // curl drops the line breaks of a file.
  const text = value.startsWith('@')
    ? (await readBody(value.slice(1))).replaceAll(/[\r\n]/g, '')
    : value
  data.push(text)
}
const addBinary: Reader = async ({ data }, value, readBody) => {
  data.push(value.startsWith('@') ? await readBody(value.slice(1)) : value)
}
const addEncoded: Reader = ({ data }, value) => {
  const equals = value.indexOf('=')
  const name = equals > 0 ? value.slice(0, equals + 1) : ''
  data.push(name + percentEncode(value.slice(equals + 1)))
}
const addJson: Reader = async (found, value, readBody) => {
  found.isJson = true
  await addBinary(found, value, readBody)
}
const setUrl: Reader = (found, value) => {
  found.url = value
}

const READERS: ReadonlyMap<string, Reader> = new Map([
  ['-X', setMethod],
  ['--request', setMethod],
  ['-H', addHeader],
  ['--header', addHeader],
  ['-d', addData],
  ['--data', addData],
  ['--data-ascii', addData],
  ['--data-raw', addRaw],
  ['--data-binary', addBinary],
  ['--data-urlencode', addEncoded],
  ['--json', addJson],
  ['--url', setUrl],
])

/** Splits `--url=value` and `-XPOST` into the option and its value. */
function splitOption(word: string): readonly [option: string, value: string | undefined] {
  const [, long, value] = /^(--[\w-]+)=([^]*)$/.exec(word) ?? []
  if (long !== undefined) return [long, value]
  const isShort = /^-[A-Za-z]./.test(word) && SHORT_WITH_VALUE.includes(word[1] ?? '')
  return isShort ? [word.slice(0, 2), word.slice(2)] : [word, undefined]
}

function requestOf({ method, url, isJson, headers, data }: Found): PastedRequest {
  const authorization = headers.get('authorization')
  const body = data.length === 0 ? undefined : data.join(isJson ? '' : '&')
  const usual = isJson ? 'application/json' : FORM_TYPE
  const contentType = headers.get('content-type') ?? (body === undefined ? undefined : usual)
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(url !== undefined && { url: /^[a-z]+:\/\//i.test(url) ? url : `http://${url}` }),
    ...(authorization !== undefined && { authorization }),
    ...(contentType !== undefined && { contentType }),
    ...(body !== undefined && { body }),
  }
}
