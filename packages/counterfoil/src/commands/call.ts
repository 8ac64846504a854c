import {
  CounterfoilClient,
  CounterfoilError,
  type ErrorCode,
  OperationRefused,
} from '@counterfoil/client'
import { type Operation, OPERATIONS } from '@counterfoil/protocol'
import { type Command, Option } from 'commander'
import {
  API_URL_OPTION,
  CONNECTION_OPTIONS,
  type ConnectionOptions,
} from '../connection/connection-options.ts'
import { fieldOptions } from '../call/field-options.ts'
import { type Attempt, endWithError } from '../print/end-with-error.ts'
import { jsonLine } from '../print/json-line.ts'
import { readOperations } from '../connection/read-connection.ts'
import { type OptionValues, readFields } from '../call/read-fields.ts'
import { addOptions, refuseOption, REQUIRED } from '../add-options.ts'
import type { Dependencies, ProgramDependencies } from '../dependencies.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { CALL_EXAMPLES, CALL_NOTES } from '../help-texts.ts'
import { runAction } from '../run-action.ts'

/** The options of `counterfoil call` that set no field, from the command line or the environment. */
interface CallOptions extends ConnectionOptions {
  readonly apiUrl?: string
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
    .addHelpText('after', '\nExample:\n  counterfoil call transfer-by-ref --help')
  for (const operation of Object.values(OPERATIONS)) {
    describeCall(call.command(operation.name), operation, dependencies)
  }
}

function describeCall(
  command: Command,
  operation: Operation,
  dependencies: ProgramDependencies,
): void {
  const { name, title } = operation
  const fields = fieldOptions(operation)
  command
    .summary(title)
    .description(`Calls the form operation ${name}: ${title}.`)
    .addHelpText('after', `${CALL_EXAMPLES[name]}\n${CALL_NOTES}`)
    .action((options) =>
      runAction(command, dependencies, runCall(operation, options, dependencies)),
    )
  addOptions(command, [
    new Option('--endpoint <id>', 'id of your endpoint').helpGroup(REQUIRED),
    ...fields.map(({ option }) => option),
    API_URL_OPTION,
    ...CONNECTION_OPTIONS,
  ])
  for (const { option, secret } of fields) {
    if (!secret) continue
    const advice = `Use ${option.flags} (the file may be /dev/stdin) or the variable ${secret.variable}`
    const message = `the value is now in the shell's history. ${advice}`
    refuseOption(command, secret.refused, `${secret.refused.long}: ${message}`)
  }
}

/**
 * Calls an operation and prints its answer as a line of JSON.
 *
 * @returns the exit code
 * @throws {UsageError} for a wrong command line
 */
async function runCall(
  operation: Operation,
  options: CallOptions & OptionValues,
  dependencies: Dependencies,
): Promise<number> {
  const { env, stdout, signal } = dependencies
  const endpointId = options.endpoint
  const fields = await readFields(fieldOptions(operation), options, env)
  const connection = await readOperations(options, dependencies)
  try {
    const { payments } = new CounterfoilClient(connection)
    const answer = await payments.call(operation.name, endpointId, fields, { signal })
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
