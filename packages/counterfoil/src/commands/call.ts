import {
  CounterfoilClient,
  CounterfoilError,
  type ErrorCode,
  OperationRefused,
} from '@counterfoil/client'
import { type Operation, OPERATIONS } from '@counterfoil/protocol'
import { type Command, Option } from 'commander'
import { type ConnectionOptions, connectionOptions } from '../connection/settings.ts'
import { type FieldOption, fieldOptions } from '../call/field-options.ts'
import { type Attempt, endWithError } from '../print/end-with-error.ts'
import { jsonLine } from '../print/json-line.ts'
import { readOperations } from '../connection/read-connection.ts'
import { type OptionValues, readFields } from '../call/read-fields.ts'
import { addCommand, refuseOption, REQUIRED } from '../command.ts'
import type { Dependencies, ProgramDependencies } from '../dependencies.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { CALL_EXAMPLES, CALL_NOTES } from '../help-texts.ts'

/** The options of `counterfoil call` that set no field, from the command line or the environment. */
interface CallOptions extends ConnectionOptions {
  /** The id of an endpoint, not a URL. */
  readonly endpoint: string
}

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

/** Adds `call`, with a subcommand for each operation. */
export function addCallCommand(program: Command, dependencies: ProgramDependencies): void {
  const call = program
    .command('call')
    .summary("call one of the sandbox's form operations")
    .description("Calls one of the sandbox's form operations for one of your endpoints.")
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  counterfoil call transfer-by-ref --help')
  for (const operation of Object.values(OPERATIONS)) addOperation(call, dependencies, operation)
}

function addOperation(call: Command, dependencies: ProgramDependencies, operation: Operation) {
  const { name, title } = operation
  const fields = fieldOptions(operation)
  const command = addCommand<CallOptions & OptionValues>(call, dependencies, {
    name,
    summary: title,
    description: `Calls the form operation ${name}: ${title}.`,
    options: [
      new Option('--endpoint <id>', 'id of your endpoint').helpGroup(REQUIRED),
      ...fields.map(({ option }) => option),
      ...connectionOptions('--endpoint', '--sign-body'),
    ],
    help: `${CALL_EXAMPLES[name]}\n${CALL_NOTES}`,
    run: async (options) => await runCall(operation, fields, options, dependencies),
  })
  for (const { option, secret } of fields) {
    if (!secret) continue
    const advice = `Use ${option.flags} (the file may be /dev/stdin) or the variable ${secret.variable}`
    const message = `the value is now in the shell's history. ${advice}`
    refuseOption(command, secret.refused, `${secret.refused.long}: ${message}`)
  }
}

/** Calls an operation and prints its answer as a line of JSON. */
async function runCall(
  operation: Operation,
  fields: readonly FieldOption[],
  options: CallOptions & OptionValues,
  dependencies: Dependencies,
): Promise<number> {
  const { env, stdout, signal } = dependencies
  const endpointId = options.endpoint
  const values = await readFields(fields, options, env)
  const connection = await readOperations(options, dependencies)
  try {
    const { payments } = new CounterfoilClient(connection)
    const answer = await payments.call(operation.name, endpointId, values, { signal })
    stdout.write(jsonLine(answer))
    return EXIT_CODES.done
  } catch (error) {
    if (!signal.aborted && error instanceof OperationRefused) {
      stdout.write(jsonLine(error.answer))
    }
    const attempt: Attempt = {
      url: { option: '--api-url', value: connection.apiUrl },
      ca: connection.ca,
      state: error instanceof CounterfoilError ? stateAfter(error) : undefined,
      afterInterruption: PERHAPS_ACCEPTED,
    }
    return await endWithError(error, attempt, dependencies)
  }
}

function stateAfter(error: CounterfoilError): string | undefined {
  return 'nothingSent' in error && error.nothingSent ? 'Nothing was sent.' : STATE[error.code]
}
