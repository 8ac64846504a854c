import { namesSecretField } from '@counterfoil/protocol'
import {
  isForm as isFormType,
  percentEncode,
  type RequestToSign,
  sign,
  type SignedRequest,
  SigningError,
  type SigningStep,
  signingSteps,
} from '@counterfoil/signing'
import { InvalidArgumentError, Option } from 'commander'
import { splitPair } from './report.ts'
import { type GatewayConnection, importKey, readGateway } from '../connection/read-connection.ts'
import { type ConnectionOptions, connectionOptions } from '../connection/settings.ts'
import { type CommandDescription, EXIT_CODES, UsageError } from '../command.ts'
import { jsonLine, printable } from '../print/text.ts'
import { readText } from '../files.ts'

type Field = readonly [name: string, value: string]

interface SignCommandOptions extends ConnectionOptions {
  readonly method: string
  readonly field?: readonly Field[]
  readonly body?: string
  readonly contentType?: string
  readonly nonce?: string
  readonly timestamp?: string
}

export const SIGN: CommandDescription<SignCommandOptions> = {
  name: 'sign',
  summary: 'show every step of a signature',
  description: 'Shows every step of the signature of a request. It sends nothing.',
  argument: ['[url]', 'URL of the request (default: your report URL)'],
  options: [
    new Option('--method <method>', 'HTTP method').default('POST'),
    new Option('--field <name=value>', 'field of a form (repeatable)').argParser(addField),
    new Option('--body <file>', 'file with the body to send'),
    new Option('--content-type <type>', 'content type of --body (default: application/json)'),
    new Option('--nonce <nonce>', 'nonce (default: a random one)'),
    new Option('--timestamp <seconds>', 'seconds since 1970 (default: now)'),
    new Option('--json', 'print every value as one line of JSON'),
    // The command sends nothing.
    ...connectionOptions('--ca', '--allow-plain-http'),
  ],
  help: `
Examples, with a profile (counterfoil init):
  counterfoil sign
  counterfoil sign https://gate.example.com/gate/api/v4/payout/1144 \\
    --field amount=10.42 --field currency=EUR \\
    --nonce 5f2c9a1e7b3d4c60 --timestamp 1700000000

The command shows how to sign a request, and sends nothing. Compare the steps
with those of your program, with its nonce and timestamp: the first step that
differs has the mistake.

A signature covers the method, the URL with its query and the fields of a form.
If your login must sign the body of a report request, add --sign-body, and the
JSON as --body. A form with card data is a file: --body FILE with --content-type
application/x-www-form-urlencoded.

Exit codes:
  ${EXIT_CODES.done}    signed
  ${EXIT_CODES.usage}    the command line or the key is wrong`,
  async run(options, dependencies, url) {
    const settings = url === undefined ? options : { ...options, endpoint: url }
    const connection = await readGateway(settings, dependencies)
    const request = await readRequest(connection.endpoint, options)
    try {
      const signed = await signRequest(request, connection, options)
      const text = options.json ? asJson(signed) : describeSteps(signingSteps(signed))
      dependencies.stdout.write(text)
      return EXIT_CODES.done
    } catch (error) {
      if (!(error instanceof SigningError)) throw error
      throw new UsageError(`cannot sign the request: ${error.message}`, { cause: error })
    }
  },
}

async function readRequest(
  url: string,
  { method, field, body, contentType }: SignCommandOptions,
): Promise<RequestToSign & { readonly url: string }> {
  if (field && body !== undefined) throw new UsageError('use --field or --body, not both')
  if (field) return { method, url, form: field, ...(contentType !== undefined && { contentType }) }
  if (body === undefined) return { method, url }
  const text = await readText(body, '--body')
  return { method, url, body: text, contentType: contentType ?? 'application/json' }
}

async function signRequest(
  request: RequestToSign & { readonly url: string },
  connection: GatewayConnection,
  { nonce, timestamp, signBody }: SignCommandOptions,
): Promise<SignedRequest> {
  const key = await importKey(connection)
  const { length: controlKeyLength } = percentEncode(
    'controlKey' in connection ? connection.controlKey : '',
  )
  // The setting of a profile is for reports. The fields of a form are signed without a hash.
  const isForm = request.form !== undefined || isFormType(request.contentType)
  const isHashed = signBody ?? (connection.signBody && !isForm)
  const signed = await sign(
    request,
    { consumerKey: connection.login, key },
    {
      ...(nonce !== undefined && { nonce }),
      ...(timestamp !== undefined && { timestampSeconds: Number(timestamp) }),
      ...(isHashed && { bodyHash: 'SHA-256' }),
    },
  )
  return { method: request.method, url: request.url, key, controlKeyLength, signed }
}

function asJson({ method, url, signed }: SignedRequest): string {
  const { body: _, ...values } = signed
  return jsonLine({ method, url, ...values })
}

/** Reads `NAME=VALUE` as a field of a form, and adds it to those before. Refuses card data. */
function addField(text: string, before: readonly Field[] = []): Field[] {
  if (namesSecretField(text)) {
    throw new InvalidArgumentError(
      'The value is now in the history of the shell. Pass the value in a file.',
    )
  }
  return [...before, splitPair(text)]
}

const WIDTHS = [10, 22]

/** Describes steps for people. A line that begins with a label is the row of a table. */
function describeSteps(steps: readonly SigningStep[]): string {
  const texts = steps.map(({ title, sentence, clause, lines }, index) => {
    const values = lines.map((parts) => {
      const isRow = parts[0]?.kind === 'label'
      const cells = parts.map(({ text }, at) => {
        return isRow && at < parts.length - 1 ? `${text.padEnd(WIDTHS[at] ?? 0)}  ` : text
      })
      return parts.length === 0 ? '' : `   ${cells.join('')}`
    })
    const head = [`${index + 1}. ${title} (${clause})`, `   ${sentence}`, '']
    return [...head, ...values, ''].map((line) => `${printable(line)}\n`).join('')
  })
  return texts.join('')
}
