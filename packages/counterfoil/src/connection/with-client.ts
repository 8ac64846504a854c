import { CounterfoilClient } from '@counterfoil/client'
import type { Dependencies } from '../dependencies.ts'
import { type Attempt, endWithError } from '../print/end-with-error.ts'
import { type GatewayConnection, readGateway } from './read-connection.ts'
import type { ConnectionOptions } from './settings.ts'

/**
 * Runs the requests of a command with a client for the settings of the command line, the environment and the profile.
 * Prints why they failed, if they fail.
 *
 * @param run returns the exit code
 * @param left what an error or an interruption leaves behind
 * @throws {UsageError} if a setting is missing or not readable
 */
export async function withClient(
  options: ConnectionOptions & { readonly json?: boolean; readonly requireProof?: boolean },
  dependencies: Dependencies,
  run: (client: CounterfoilClient, connection: GatewayConnection) => Promise<number>,
  left: Pick<Attempt, 'state' | 'afterInterruption'> = {},
): Promise<number> {
  const connection = await readGateway(options, dependencies)
  const { endpoint, ca } = connection
  const { requireProof = false } = options
  try {
    return await run(new CounterfoilClient({ ...connection, requireProof }), connection)
  } catch (error) {
    const url = { option: '--endpoint', value: endpoint } as const
    return await endWithError(error, { url, ca, json: options.json, ...left }, dependencies)
  }
}
