import { lstatSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { GatewayError } from '../errors.ts'

/** The longest path of a Unix socket, in bytes: `sun_path` without its final zero. */
const PATH_BYTES_MAX = process.platform === 'darwin' ? 103 : 107

/** Throws `control` for a path that the operating system would refuse or cut. */
export function checkSocketPath(file: string): void {
  const bytes = Buffer.byteLength(file)
  if (bytes <= PATH_BYTES_MAX) return
  const limit = `A Unix socket's path has at most ${PATH_BYTES_MAX} bytes here, and ${file} has ${bytes}`
  throw new GatewayError('control', `${limit}. Move dataDir to a shorter path`)
}

/**
 * Connects to the gateway that listens on a socket file.
 *
 * @returns nothing where no process listens: no file, or one that a killed process left behind
 * @throws `control` when the file is not a socket, or may not be used by this user
 */
export async function connectTo(file: string): Promise<Socket | undefined> {
  checkSocketPath(file)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isSocket()) {
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
