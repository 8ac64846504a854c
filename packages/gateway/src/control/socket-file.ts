import { lstatSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { GatewayError } from '@counterfoil/common'

/** The maximum length of a Unix socket's path, in bytes: `sun_path` without its final zero. */
const PATH_BYTES_MAX = process.platform === 'darwin' ? 103 : 107

/** Throws `control` if the operating system would refuse or truncate a path. */
export function checkSocketPath(file: string): void {
  const bytes = Buffer.byteLength(file)
  if (bytes <= PATH_BYTES_MAX) return
  const limit = `A Unix socket's path has at most ${PATH_BYTES_MAX} bytes here, and ${file} has ${bytes}`
  throw new GatewayError('control', `${limit}. Move dataDir to a shorter path`)
}

/**
 * Connects to the gateway that listens on a socket file.
 *
 * @returns nothing if no process listens: there is no file, or a killed process left it behind
 * @throws `control` if the file is not a socket, or this user may not use it
 */
export async function connectTo(file: string): Promise<Socket | undefined> {
  checkSocketPath(file)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (!stats.isSocket()) {
    throw new GatewayError('control', `${file} is not a socket. Move it away`)
  }
  const socket = connect(file)
  try {
    await once(socket, 'connect')
    return socket
  } catch (cause) {
    socket.destroy()
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return undefined
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('control', `Cannot connect to the gateway: ${reason}`, { cause })
  }
}
