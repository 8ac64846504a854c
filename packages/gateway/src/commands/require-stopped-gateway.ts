import { type Config, controlSocketFile } from '../config/config.ts'
import { connectTo } from '../control/socket-file.ts'
import { GatewayError } from '@counterfoil/common'

/**
 * Refuses a command that must not run beside the gateway of its configuration. A gateway whose ledger is on a server
 * locks no folder, but listens on its control socket.
 *
 * @throws {GatewayError} `control` if a gateway listens
 */
export async function requireStoppedGateway(config: Config): Promise<void> {
  const file = controlSocketFile(config)
  const socket = await connectTo(file)
  if (!socket) return
  socket.destroy()
  throw new GatewayError('control', `A gateway listens on ${file}. Stop the gateway first`)
}
