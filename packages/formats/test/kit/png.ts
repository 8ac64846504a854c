import { crc32, deflateSync } from 'node:zlib'

/** Writes a PNG of one color (ISO 15948). */
export function png(
  width: number,
  height: number,
  change: { readonly color?: 0 | 2 | 6; readonly interlace?: 1; readonly data?: Buffer } = {},
): Buffer {
  const { color = 2, interlace = 0 } = change
  const row = 1 + width * ({ 0: 1, 2: 3, 6: 4 } as const)[color]
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, color, 0, 0, interlace], 8)
  const data = change.data ?? deflateSync(Buffer.alloc(row * height))
  const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    start,
    chunk('IHDR', head),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
