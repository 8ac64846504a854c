import { text as readStream } from 'node:stream/consumers'
import {
  diagnose,
  type Diagnosis,
  type Difference,
  type Mistake,
  parseAuthorization,
  type PastedRequest,
  readPasted,
  type RequestToVerify,
  SigningError,
  type SigningKey,
} from '@counterfoil/signing'
import { Option } from 'commander'
import { findCredentials, importKey, readAddress } from '../connection/read-connection.ts'
import { type ConnectionOptions, connectionOptions } from '../connection/settings.ts'
import { type CommandDescription, type Dependencies, EXIT_CODES, UsageError } from '../command.ts'
import { jsonLine, printableLine } from '../print/text.ts'
import { readText } from '../files.ts'

interface ExplainOptions extends ConnectionOptions {
  readonly method?: string
  readonly url?: string
  readonly data?: string
  readonly contentType?: string
  readonly baseString?: string
}

export const EXPLAIN: CommandDescription<ExplainOptions> = {
  name: 'explain',
  summary: 'name the mistake in a refused request',
  description: 'Names the mistake in a refused request, and how to fix it.',
  argument: ['[file]', 'file with the request as you sent it (default: standard input)'],
  options: [
    new Option('--method <method>', 'HTTP method (default: of the pasted request, else POST)'),
    new Option(
      '--url <url>',
      'URL of the request (default: of the pasted request, else your report URL)',
    ),
    new Option('--data <file>', 'file with the body of the request, byte by byte'),
    new Option('--content-type <type>', 'content type of --data (default: application/json)'),
    new Option('--base-string <file>', 'file with the text that your program signed'),
    new Option('--json', 'print the result as one line of JSON'),
    // The pasted header names the login.
    ...connectionOptions('--login', '--sign-body', '--allow-plain-http'),
  ],
  help: `
Examples, with a profile (counterfoil init):
  counterfoil explain curl.txt
  counterfoil explain header.txt --url https://gate.example.com/reports
  pbpaste | counterfoil explain --base-string mine.txt

The command reads an Authorization header, a complete curl command line, or an
entry of a HAR file (JSON). It names the mistake in the signature, and how to
fix it. It needs the key that you sign with, or the text that you signed, and no
gateway. The output shows the request: do not pass it on if it holds card data.

Exit codes:
  ${EXIT_CODES.done}    the signature is right
  ${EXIT_CODES.failed}    the signature is wrong, and no known mistake explains it
  ${EXIT_CODES.usage}    the command line, the pasted text or the key is wrong
  ${EXIT_CODES.notAuthorised}    the request has the mistake that the command names`,
  async run(options, dependencies, file) {
    const { stdin, stdout } = dependencies
    const text = file === undefined ? await readStream(stdin) : await readText(file, 'the file')
    const pasted = await readRequest(text, options)
    const request = await requestOf(pasted, options, dependencies)
    const signedFile = options.baseString
    const baseString =
      signedFile && (await readText(signedFile, '--base-string')).replace(/\r?\n$/, '')
    const keys = await readKeys(request, options, dependencies, baseString !== undefined)
    const { host } = URL.parse(pasted.url ?? '') ?? {}
    const diagnosis = await diagnose(request, {
      keys,
      ...(host !== undefined && { host }),
      ...(baseString !== undefined && { baseString }),
      ...(pasted.sentAtSeconds !== undefined && { receivedAtSeconds: pasted.sentAtSeconds }),
    })
    stdout.write(options.json ? jsonLine(diagnosis) : describeDiagnosis(diagnosis, request))
    return OUTCOMES[diagnosis.outcome].exitCode
  },
}

/** How the command ends, and the first line if no mistake is named. */
const OUTCOMES = {
  correct: { exitCode: EXIT_CODES.done, title: 'The signature is right.' },
  mistake: { exitCode: EXIT_CODES.notAuthorised, title: '' },
  unknown: { exitCode: EXIT_CODES.failed, title: 'No known mistake leads to this signature.' },
  'no-key': {
    exitCode: EXIT_CODES.failed,
    title: 'Your base string is right. Pass the key too, and the command checks the signature.',
  },
  'too-large': {
    exitCode: EXIT_CODES.failed,
    title: 'The request is too large for a diagnosis: more than 8 KiB.',
  },
} as const

async function readRequest(text: string, { data }: ExplainOptions): Promise<PastedRequest> {
  try {
    return await readPasted(text, async (name) => {
      return data === undefined ? await readText(name, '--data @FILE') : ''
    })
  } catch (error) {
    if (!(error instanceof SigningError)) throw error
    throw new UsageError(error.message, { cause: error })
  }
}

async function requestOf(
  pasted: PastedRequest,
  { method, url, data, contentType, ...options }: ExplainOptions,
  dependencies: Dependencies,
): Promise<RequestToVerify> {
  const body = data === undefined ? pasted.body : await readText(data, '--data')
  const type =
    contentType ?? pasted.contentType ?? (body === undefined ? undefined : 'application/json')
  return {
    method: method ?? pasted.method ?? 'POST',
    url: url ?? pasted.url ?? (await readAddress(options, dependencies)).endpoint,
    authorization: pasted.authorization,
    contentType: type,
    body: new TextEncoder().encode(body ?? ''),
  }
}

/** Reads the key of the login that the header names. Returns none if the header is malformed. */
async function readKeys(
  { authorization }: RequestToVerify,
  options: ExplainOptions,
  dependencies: Dependencies,
  isOptional: boolean,
): Promise<readonly SigningKey[]> {
  const login = parameterIn(String(authorization ?? ''), 'oauth_consumer_key')
  if (login === undefined) return []
  const credentials = await findCredentials({ ...options, login }, dependencies)
  if (credentials) return [await importKey(credentials)]
  if (isOptional) return []
  const places = '--control-key-file, --private-key, COUNTERFOIL_CONTROL_KEY or a profile'
  throw new UsageError(
    `missing the key of the login ${login}: use ${places}, or the text that you signed with --base-string`,
  )
}

/** Describes a diagnosis for people. It shows the request, which may hold card data. */
function describeDiagnosis(diagnosis: Diagnosis, request: RequestToVerify): string {
  const { outcome, mistake, secondMistake, refused, baseString, difference } = diagnosis
  const isOther = refused !== undefined && refused.code !== 'signature-mismatch'
  const isKeyInDoubt = outcome === 'unknown' && diagnosis.signedBaseString === undefined
  const parts = [
    outcome !== 'mistake' && `${OUTCOMES[outcome].title}\n`,
    ...[mistake, secondMistake].map((one) => one && describeMistake(one)),
    outcome === 'correct' && describeUnchecked(request),
    isOther && `Reason: ${printableLine(refused.reason)}\n`,
    difference && describeDifference(difference),
    baseString !== undefined && `The gateway's base string:\n${printableLine(baseString)}\n`,
    isKeyInDoubt &&
      'The key may be another than the one that signed the request. Pass the text that your program signed with --base-string FILE to compare both.\n',
  ]
  return parts.filter(Boolean).join('\n')
}

/** Marks the first character in which two base strings differ. */
function describeDifference({ at, part, parameter, gateway, caller }: Difference): string {
  const partName = part === 'url' ? 'URL' : part
  const place = parameter === undefined ? `the ${partName}` : `the parameter ${parameter}`
  const [one, other] = [gateway, caller].map(({ before, character, after }) => {
    return printableLine(before + character + after)
  })
  return `First difference: character ${at}, in ${place}
  gateway  ${one}
  yours    ${other}
           ${' '.repeat(printableLine(gateway.before).length)}^
`
}

/** What a gateway checks, and a command without its store and its clock cannot. */
function describeUnchecked({ authorization, url }: RequestToVerify): string {
  const seconds = Number(parameterIn(String(authorization), 'oauth_timestamp'))
  const time = new Date(seconds * 1000).toISOString().replace('.000', '')
  const origin = printableLine(URL.parse(String(url))?.origin ?? '')
  return `Only the gateway knows whether the nonce is new, whether its clock was within 300 s of
${time}, whether ${origin} is its public address,
and whether the key belongs to the login there.
`
}

function describeMistake({ code, sentence, fix, clause }: Mistake): string {
  return `Mistake: ${sentence}\nFix: ${fix}\nClause: ${clause} (${code})\n`
}

/** Returns a parameter of an Authorization header, or undefined if it is missing, empty or malformed. */
function parameterIn(authorization: string, wanted: string): string | undefined {
  try {
    const { parameters } = parseAuthorization(authorization)
    return parameters.find(([name]) => name === wanted)?.[1] || undefined
  } catch {
    return undefined
  }
}
