import { CounterfoilClient, CounterfoilError, type ErrorCode } from '@counterfoil/client'
import type { Operation } from '@counterfoil/protocol'
import { adviseAddress } from './advise-address.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { fieldOptions } from './field-options.ts'
import { describeError } from './print-outcome.ts'
import { readConnection } from './read-connection.ts'
import { type OptionValues, readFields } from './read-fields.ts'
import { EXIT_CODES, type Dependencies } from './dependencies.ts'

/** The options of `counterfoil call` that set no field, from the command line or the environment. */
export interface CallOptions extends ConnectionOptions {
  readonly apiUrl: string
  readonly endpoint: string
}

const PERHAPS_ACCEPTED =
  'The gateway may have accepted the operation. Repeat the call with the same client order id: you get the first answer.'

// What the caller knows about the operation if no answer arrived.
const STATE: Readonly<Partial<Record<ErrorCode, string>>> = {
  'network-error': PERHAPS_ACCEPTED,
  'timed-out': PERHAPS_ACCEPTED,
  truncated: PERHAPS_ACCEPTED,
  'unexpected-body': PERHAPS_ACCEPTED,
}

/**
 * Calls an operation and prints its answer as a line of JSON.
 *
 * @returns the exit code
 * @throws {UsageError} for a wrong command line
 */
export async function runCall(
  operation: Operation,
  options: CallOptions & OptionValues,
  { env, stdout, stderr, signal }: Dependencies,
): Promise<number> {
  const { apiUrl, endpoint: endpointId } = options
  const fields = await readFields(fieldOptions(operation), options, env)
  const connection = await readConnection(options, env)
  try {
    const { payments } = new CounterfoilClient({ ...connection, apiUrl })
    const answer = await payments.call(operation.name, endpointId, fields, { signal })
    stdout.write(`${JSON.stringify(answer)}\n`)
    return EXIT_CODES.complete
  } catch (error) {
    if (signal.aborted) {
      stderr.write(`counterfoil: interrupted. ${PERHAPS_ACCEPTED}\n`)
      return EXIT_CODES.interrupted
    }
    if (!(error instanceof CounterfoilError)) throw error
    if (error.code === 'operation-refused') stdout.write(`${JSON.stringify(error.answer)}\n`)
    const state =
      'nothingSent' in error && error.nothingSent ? 'Nothing was sent.' : STATE[error.code]
    const url = { option: '--api-url', value: apiUrl } as const
    const advice = await adviseAddress(error, url, { ca: connection.ca, signal })
    const hasCa = connection.ca !== undefined
    stderr.write(describeError(error, { url: '--api-url', state, advice, hasCa }))
    return error.code === 'invalid-settings' ? EXIT_CODES.usage : EXIT_CODES.failed
  }
}
