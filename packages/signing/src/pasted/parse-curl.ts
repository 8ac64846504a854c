import { percentEncode } from '../parameters/parameters.ts'
import { FORM_TYPE } from '../parameters/form.ts'
import { SigningError } from '../refusals/signing-error.ts'

/** What a person pasted of a request. */
export interface PastedRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly authorization?: string | undefined
  readonly contentType?: string | undefined
  readonly body?: string | undefined
  /** When the request was sent, in seconds since 1970. */
  readonly sentAtSeconds?: number | undefined
}

export function wrongPaste(problem: string, options?: ErrorOptions): SigningError {
  return new SigningError('options', problem, options)
}

/** What the options of curl say about the request. The value of a `skipped` one may look like the URL. */
const MEANINGS = {
  method: '-X --request',
  header: '-H --header',
  url: '--url',
  data: '-d --data --data-ascii',
  raw: '--data-raw',
  binary: '--data-binary',
  encoded: '--data-urlencode',
  json: '--json',
  skipped: '-e --referer -x --proxy',
  unsupported: '-F --form -G --get -T --upload-file -K --config',
} as const

const OPTIONS = new Map(
  Object.entries(MEANINGS).flatMap(([meaning, options]) => {
    return options.split(' ').map((option) => [option, meaning] as const)
  }),
)

interface Found {
  method?: string
  url?: string
  isJson?: boolean
  readonly headers: Map<string, string>
  readonly data: string[]
}

/** Reads a file that a command line names with `--data @FILE`. */
type ReadBody = (file: string) => Promise<string>

/** Reads a curl command line. Throws `options` or `encoding` for one that it cannot read. */
export async function parseCurl(line: string, readBody: ReadBody): Promise<PastedRequest> {
  const command = line.replace(/^[$+]\s+/, '')
  if (hasSubstitution(command)) {
    throw wrongPaste(
      'the curl command line has $(...) or variables, which only a shell replaces: run it after "set -x", and paste the line that the shell prints after "+ "',
    )
  }
  const words = splitWords(command)
  if (!words) throw wrongPaste('the curl command line has a quote that does not end')
  const found: Found = { headers: new Map(), data: [] }
  const rest = words.slice(1).values()
  for (const word of rest) {
    // `--url=value`, `-XPOST`
    const [, long, joined] = /^(--[\w-]+)=([^]*)$/.exec(word) ?? []
    const short = /^-[A-Za-z]./.test(word) && OPTIONS.has(word.slice(0, 2))
    const option = long ?? (short ? word.slice(0, 2) : word)
    const meaning = OPTIONS.get(option)
    if (meaning === 'unsupported') {
      throw wrongPaste(`cannot read ${option} of a curl command line: pass the body apart`)
    }
    if (meaning) {
      const value = joined ?? (short ? word.slice(2) : rest.next().value)
      if (value === undefined) throw wrongPaste(`${option} of the curl command line has no value`)
      await readOption(found, meaning, value, readBody)
    } else if (/^https?:\/\//i.test(word)) {
      found.url ??= word
    }
  }
  return requestOf(found)
}

async function readOption(found: Found, meaning: string, value: string, readBody: ReadBody) {
  const { headers, data } = found
  if (meaning === 'method') found.method = value
  if (meaning === 'url') found.url = value
  if (meaning === 'json') found.isJson = true
  if (meaning === 'header') {
    const [, name = '', text = ''] = /^([^:]+):([^]*)$/.exec(value) ?? []
    headers.set(name.trim().toLowerCase(), text.trim())
  }
  if (meaning === 'encoded') {
    const equals = value.indexOf('=')
    const name = equals > 0 ? value.slice(0, equals + 1) : ''
    data.push(name + percentEncode(value.slice(equals + 1)))
  }
  if (meaning === 'raw') data.push(value)
  if (meaning === 'data' || meaning === 'binary' || meaning === 'json') {
    const text = value.startsWith('@') ? await readBody(value.slice(1)) : undefined
    // curl drops the line breaks of a file.
    data.push((meaning === 'data' ? text?.replaceAll(/[\r\n]/g, '') : text) ?? value)
  }
}

function requestOf({ method, url, isJson, headers, data }: Found): PastedRequest {
  const body = data.length === 0 ? undefined : data.join(isJson ? '' : '&')
  const usual = isJson ? 'application/json' : FORM_TYPE
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    url,
    authorization: headers.get('authorization'),
    contentType: headers.get('content-type') ?? (body === undefined ? undefined : usual),
    body,
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0' }

/** A piece of a word: in single, ANSI-C or double quotes, after a backslash, or plain. */
const PIECE =
  /'([^']*)'|\$'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"|\\(\r?\n|[^])|([^\s'"\\]+)|(\s+)/gy

/** Whether a shell would replace a part of a command line, such as `$(date +%s)`. */
function hasSubstitution(line: string): boolean {
  return [...line.matchAll(PIECE)].some(([, , , double, , plain]) => {
    return /\$[\w({]|`/.test((double ?? plain ?? '').replaceAll(/\\[^]/g, ''))
  })
}

/** Splits a command line into words as a POSIX shell does, without expanding anything. */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let end = 0
  for (const piece of line.matchAll(PIECE)) {
    const [all, single, ansi, double, escaped, plain, space] = piece
    end = piece.index + all.length
    if (space !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    if (escaped?.endsWith('\n')) continue
    const text = single ?? (ansi === undefined ? undefined : unescapeAnsi(ansi))
    word =
      (word ?? '') + (text ?? double?.replaceAll(/\\([$`"\\]|\n)/g, '$1') ?? escaped ?? plain ?? '')
  }
  if (end !== line.length) return undefined
  return word === undefined ? words : [...words, word]
}

function unescapeAnsi(text: string): string {
  const pattern = /\\(?:u([\da-f]{1,4})|x([\da-f]{1,2})|([^]))/gi
  return text.replaceAll(pattern, (_, unicode?: string, byte?: string, letter?: string) => {
    const hex = unicode ?? byte
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
    return ESCAPES[letter ?? ''] ?? letter ?? ''
  })
}
