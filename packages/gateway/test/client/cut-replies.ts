import { once } from 'node:events'
import { createServer } from 'node:net'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, CounterfoilClient, CounterfoilError } from '@counterfoil/client'
import type { ReportRequest } from '@counterfoil/protocol'
import { onTestFinished } from 'vitest'
import { type Asked, parameters, signRequest } from '../kit/ask.ts'
import { bytesOf, connectRaw } from '../kit/raw-connection.ts'
import type { Login } from '../kit/sandbox.ts'

/** The transports of the client, by name. */
export const TRANSPORTS: readonly (readonly [string, ConnectionOptions])[] = [
  ['node:http', {}],
  ['fetch', { fetch: globalThis.fetch }],
]

/** A report whose reply is small enough to cut it at every byte. */
export const FEW_ROWS = {
  reportIdentifier: 'transactions-list',
  configurationReportParameters: parameters({ totals: 'only' }).inputReportParameters,
}

/** Returns the bytes of a gateway's reply, from its status line to the end of its trailers. */
export async function captureReply(
  gateway: Asked & { readonly port: number },
  login: Login,
  request: ReportRequest,
): Promise<Buffer> {
  const headers = { Connection: 'close' }
  const signed = await signRequest(gateway, login, request, { headers })
  const connection = await connectRaw(gateway.port)
  connection.write(bytesOf(signed))
  return await connection.received
}

/** What the client did with replies that were cut. */
export interface CutOutcome {
  /** The codes of the errors of `download`, of the body and of `completed`, each once. */
  readonly codes: ReadonlySet<string>
  /** The offsets after which a call did not fail. */
  readonly passed: readonly number[]
  /** The files that the client left. */
  readonly files: readonly string[]
}

const CONCURRENT = 16
const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

/** Asks for a report from a server that closes the connection after so many bytes of the reply, for each offset. */
export async function cutAtEach(
  reply: Buffer,
  offsets: readonly number[],
  options: ConnectionOptions,
): Promise<CutOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'cut-replies-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const url = await serveCut(reply)
  const codes = new Set<string>()
  const passed: number[] = []
  const waiting = [...offsets]
  const tryNext = async (): Promise<void> => {
    for (let offset = waiting.pop(); offset !== undefined; offset = waiting.pop()) {
      const merchant = { login: 'shop', controlKey: 'key', retries: 0 }
      const client = new CounterfoilClient({ endpoint: url + offset, ...merchant, ...options })
      const file = join(folder, `${offset}.csv`)
      const downloaded = await client.download('x', {}, file).catch((error: unknown) => error)
      for (const result of [downloaded, ...(await readAll(client))]) {
        if (result instanceof CounterfoilError) codes.add(result.code)
        else passed.push(offset)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, tryNext))
  return { codes, passed, files: readdirSync(folder) }
}

/** Serves a reply up to the byte that the path of a request names. Returns the URL before that number. */
async function serveCut(reply: Buffer): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (request) => {
      const [, offset] = /^POST \/(\d+) /.exec(request.toString('latin1')) ?? []
      socket.end(offset === undefined ? NOT_FOUND : reply.subarray(0, Number(offset)))
    })
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`
}

/** Returns the errors of a body that is read to its end, and of its outcome. */
async function readAll(client: CounterfoilClient): Promise<readonly unknown[]> {
  try {
    const { body, completed } = await client.report('x')
    const bytes = await new Response(body).arrayBuffer().catch((error: unknown) => error)
    return [bytes, await completed.catch((error: unknown) => error)]
  } catch (error) {
    return [error]
  }
}
