import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { serverAt, type ServerLogin, type ServerSource } from '../../../engine/src/engine/engine.ts'
import type { Engine, EngineFormat, EngineQuery } from '../../../engine/src/engine/engine.ts'
import { type EngineOptions, openHttpEngine } from '../../../engine/src/http/http-engine.ts'
import { READABLE, startClickHouse, type TestServer, USER } from './clickhouse-server.ts'

/** The options of an engine on a test server, without its address. */
export const CLUSTER_OPTIONS = {
  querySeconds: 20,
  queryBytesMax: 256 * 1024 ** 2,
  engineBytesMax: 1024 ** 3,
  reportColumns: READABLE,
}

/** Returns servers of tests at their addresses. */
export function serversAt(
  urls: readonly string[],
  login: ServerLogin = USER,
): readonly ServerSource[] {
  return urls.map((url) => serverAt(url, login))
}

/** A signal that never aborts. */
export const NEVER = new AbortController().signal

/** Opens an engine on servers until the test has finished. */
export async function open(
  urls: readonly string[],
  { login, ...change }: Partial<EngineOptions> & { readonly login?: ServerLogin } = {},
): Promise<Engine> {
  const engine = await openHttpEngine({
    ...CLUSTER_OPTIONS,
    servers: serversAt(urls, login),
    ...change,
  })
  onTestFinished(() => engine.close())
  return engine
}

/** Starts a server of its own for a test. */
export async function startServer(): Promise<TestServer> {
  const started = await startClickHouse(READABLE)
  onTestFinished(() => started.remove())
  return started
}

/** The engine sends a row group of Parquet when it is complete. */
const SMALL_ROW_GROUPS = {
  output_format_parquet_row_group_size: 10_000,
  output_format_parquet_parallel_encoding: 0,
} as const

/** Returns a query of the owner. */
export function query(sql: string, format: EngineFormat = 'RawBLOB'): EngineQuery {
  const settings = format === 'Parquet' ? SMALL_ROW_GROUPS : {}
  return { sql, parameters: {}, settings, format, role: 'owner' }
}

/** Reads a result as far as it goes. */
export async function read(engine: Engine, asked: EngineQuery) {
  const pieces: Uint8Array[] = []
  let rows = 0
  let error: unknown
  try {
    for await (const chunk of await engine.stream(asked, NEVER)) {
      pieces.push(chunk.bytes)
      rows += chunk.rows
    }
  } catch (caught) {
    error = caught
  }
  return { text: Buffer.concat(pieces).toString(), rows, error }
}

/** Starts a proxy to a server. `pass` may change what passes of the reply to a request. */
export async function startProxy(
  serverUrl: string,
  pass: (headers: NodeJS.Dict<string | string[]>, body: string) => { readonly bytesMax: number },
): Promise<string> {
  const proxy = createServer((asked, reply) => {
    const { method, url, headers } = asked
    const forwarded = request(serverUrl + url, { method, headers }, (response) => {
      const replyHeaders = { ...response.headers }
      const { bytesMax } = pass(replyHeaders, Buffer.concat(body).toString())
      reply.writeHead(response.statusCode ?? 0, replyHeaders)
      let passed = 0
      response.on('data', (piece: Buffer) => {
        if (reply.writableEnded) return
        reply.write(piece.subarray(0, Math.max(0, bytesMax - passed)))
        passed += piece.length
        if (passed > bytesMax) reply.end()
      })
      response.on('end', () => reply.end())
    })
    const body: Buffer[] = []
    asked.on('data', (piece: Buffer) => body.push(piece))
    asked.pipe(forwarded)
  })
  return `http://127.0.0.1:${await listen(proxy)}`
}

/** Listens on a free port of the loopback address until the test has finished. Returns the port. */
export async function listen(listener: Server): Promise<number> {
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void listener.close())
  const address = listener.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
