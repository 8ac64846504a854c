import { createCipheriv, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'

const [HANDSHAKE, APPLICATION_DATA] = [22, 23]
// HandshakeType key_update, a length of 1, update_requested (RFC 8446, section 4.6.3).
const KEY_UPDATE = Buffer.from([24, 0, 0, 1, 1])

/** A connection over TLS 1.3 whose client writes records of its own. Node's client cannot update keys. */
export interface RecordConnection {
  readonly socket: Socket
  /** Returns the bytes of a record of application data. */
  readonly data: (text: string) => Buffer
  /** Returns the bytes of key updates. Each asks the server for an update of its own. */
  readonly keyUpdates: (count: number) => Buffer
}

/** Opens a connection with Node's client, and takes it over after the handshake. */
export async function connectWithRecords(
  port: number,
  localAddress: string,
): Promise<RecordConnection> {
  const socket = connect({ host: '127.0.0.1', port, localAddress }).on('error', () => {})
  await once(socket, 'connect')
  const pipe = new Duplex({
    read: () => {},
    write: (bytes, _, done) => void socket.write(bytes, () => done()),
  })
  const feed = (bytes: Buffer): void => void pipe.push(bytes)
  socket.on('data', feed)
  const suite = { ciphers: 'TLS_AES_128_GCM_SHA256', minVersion: 'TLSv1.3' } as const
  const handshake = connectTls({ socket: pipe, rejectUnauthorized: false, ...suite })
  let secret: Buffer = Buffer.alloc(0)
  handshake.on('keylog', (line: Buffer) => {
    const [label, , hex = ''] = line.toString().trim().split(' ')
    if (label === 'CLIENT_TRAFFIC_SECRET_0') secret = Buffer.from(hex, 'hex')
  })
  await once(handshake, 'secureConnect')
  socket.off('data', feed).resume()
  let sequence = 0
  const seal = (type: number, content: Buffer): Buffer => {
    const nonce = expand(secret, 'iv', 12)
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ sequence) >>> 0, 8)
    sequence += 1
    const head = Buffer.from([APPLICATION_DATA, 3, 3, 0, 0])
    head.writeUInt16BE(content.length + 17, 3)
    const cipher = createCipheriv('aes-128-gcm', expand(secret, 'key', 16), nonce).setAAD(head)
    const sealed = cipher.update(Buffer.concat([content, Buffer.from([type])]))
    return Buffer.concat([head, sealed, cipher.final(), cipher.getAuthTag()])
  }
  return {
    socket,
    data: (text) => seal(APPLICATION_DATA, Buffer.from(text)),
    keyUpdates: (count) => {
      const records = Array.from({ length: count }, () => {
        const record = seal(HANDSHAKE, KEY_UPDATE)
        secret = expand(secret, 'traffic upd', 32)
        sequence = 0
        return record
      })
      return Buffer.concat(records)
    },
  }
}

/** HKDF-Expand-Label of RFC 8446, section 7.1, without a context. */
function expand(secret: Buffer, name: string, length: number): Buffer {
  const label = Buffer.from(`tls13 ${name}`)
  const info = Buffer.concat([Buffer.from([0, length, label.length]), label, Buffer.from([0, 1])])
  return createHmac('sha256', secret).update(info).digest().subarray(0, length)
}
