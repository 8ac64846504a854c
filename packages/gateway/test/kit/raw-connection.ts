import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { SignedRequest } from './ask.ts'

/** A connection that sends any bytes. */
export interface RawConnection {
  readonly socket: Socket
  write(bytes: Uint8Array | string): void
  /** All bytes until the connection closed. */
  readonly received: Promise<Buffer>
}

/** Connects to a gateway. */
export async function connectRaw(port: number): Promise<RawConnection> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  await once(socket, 'connect')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const received = new Promise<Buffer>((resolve) => {
    const end = (): void => resolve(Buffer.concat(chunks))
    // A reset also ends the received bytes.
    socket.on('error', end).on('close', end)
    socket.on('end', () => socket.end())
  })
  return { socket, write: (bytes) => void socket.write(bytes), received }
}

/** Writes a signed request as the bytes of HTTP/1.1. */
export function bytesOf(request: SignedRequest): Buffer {
  const { pathname, search, host } = new URL(request.url)
  const headers = { Host: host, 'Content-Length': String(request.body.length), ...request.headers }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${request.method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`
  return Buffer.concat([Buffer.from(head), request.body])
}
