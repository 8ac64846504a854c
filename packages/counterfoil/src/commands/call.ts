import {
  CounterfoilClient,
  CounterfoilError,
  type ErrorCode,
  OperationRefused,
} from '@counterfoil/client'
import { type OperationName, OPERATIONS, spellingsOf } from '@counterfoil/protocol'
import { Option } from 'commander'
import { type CommandDescription, REQUIRED } from '../command.ts'
import { addField, addFieldFile, type Field } from './sign.ts'
import { readOperations } from '../connection/read-connection.ts'
import { type ConnectionOptions, connectionOptions } from '../connection/settings.ts'
import type { Dependencies } from '../dependencies.ts'
import { EXIT_CODE_HELP, EXIT_CODES, INPUT_NOTES } from '../exit-codes.ts'
import { endWithError } from '../print/end-with-error.ts'
import { jsonLine, table } from '../print/text.ts'
import { readText } from '../read-text.ts'
import { UsageError } from '../usage-error.ts'

interface CallOptions extends ConnectionOptions {
  /** The id of an endpoint, not a URL. */
  readonly endpoint: string
  readonly field?: readonly Field[]
  readonly fieldFile?: readonly Field[]
}

const HELP = `
Example, with a test card:
  echo 9001000000000000 > card.txt
  counterfoil call transfer-by-ref --endpoint 100 \\
    --field client-order-id=try-1 --field amount=10.42 --field currency=EUR \\
    --field-file destination-card-no=card.txt

The example needs the environment variables COUNTERFOIL_API_URL,
COUNTERFOIL_LOGIN and COUNTERFOIL_CONTROL_KEY_FILE.
${INPUT_NOTES}

Card numbers and verification values come from a file, never from an argument.
The gateway checks the fields. The command always prints the answer as a line of
JSON: there is no --json.
${EXIT_CODE_HELP}

Operations and their fields (* = required):
${Object.values(OPERATIONS)
  .map(({ name, title, fields }) => {
    const rows = fields.map((field) => [
      `${nameOf(field)}${field.required ? ' *' : ''}`,
      field.title,
    ])
    return `  ${name}: ${title}\n${table(rows, { indent: 4 })}`
  })
  .join('\n')
  .trimEnd()}`

const PERHAPS_ACCEPTED =
  'The gateway may have accepted the operation. Repeat the call with the same client order id: you get the first answer.'

// What the caller knows about the operation if no answer of the gateway arrived.
const STATE: Readonly<Partial<Record<ErrorCode, string>>> = {
  'invalid-settings': 'Nothing was sent.',
  'network-error': PERHAPS_ACCEPTED,
  'timed-out': PERHAPS_ACCEPTED,
  truncated: PERHAPS_ACCEPTED,
  'unexpected-body': PERHAPS_ACCEPTED,
}

/** The command `call`. */
export const CALL: CommandDescription<CallOptions> = {
  name: 'call',
  summary: "call one of the sandbox's form operations",
  description: "Calls one of the sandbox's form operations for one of your endpoints.",
  argument: ['<operation>', `one of ${Object.keys(OPERATIONS).join(', ')}`],
  options: [
    new Option('--endpoint <id>', 'id of your endpoint').helpGroup(REQUIRED),
    new Option('--field <name=value>', 'field of the form (repeatable)').argParser(addField),
    new Option('--field-file <name=file>', 'field whose value is in a file (repeatable)').argParser(
      addFieldFile,
    ),
    ...connectionOptions('--endpoint', '--sign-body'),
  ],
  help: HELP,
  run: runCall,
}

/** Calls an operation and prints its answer as a line of JSON. */
async function runCall(
  { endpoint, field = [], fieldFile = [], ...options }: CallOptions,
  dependencies: Dependencies,
  operation = '',
): Promise<number> {
  const { stdout, signal } = dependencies
  if (!isOperation(operation)) {
    throw new UsageError(`unknown operation; expected ${Object.keys(OPERATIONS).join(', ')}`)
  }
  const fields = Object.fromEntries(field)
  for (const [name, file] of fieldFile) {
    fields[name] = (await readText(file, '--field-file')).trim()
  }
  const connection = await readOperations(options, dependencies)
  try {
    const { payments } = new CounterfoilClient(connection)
    stdout.write(jsonLine(await payments.call(operation, endpoint, fields, { signal })))
    return EXIT_CODES.done
  } catch (error) {
    if (!signal.aborted && error instanceof OperationRefused) {
      stdout.write(jsonLine(error.answer))
    }
    const { apiUrl, ca } = connection
    const state = error instanceof CounterfoilError ? stateAfter(error) : PERHAPS_ACCEPTED
    return await endWithError(error, { apiUrl, ca, state }, dependencies)
  }
}

function stateAfter(error: CounterfoilError): string | undefined {
  return 'nothingSent' in error && error.nothingSent ? 'Nothing was sent.' : STATE[error.code]
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}

/** The spelling of a field with hyphens. */
function nameOf(field: Parameters<typeof spellingsOf>[0]): string {
  return spellingsOf(field).find((spelling) => !spelling.includes('_')) ?? field.name
}
