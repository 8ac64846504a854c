import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** What a proxy does to the body of a report. It passes on other answers as they are. */
export type Fault = (chunks: readonly Buffer[]) => readonly Buffer[]

/** How a proxy ends a reply: with the gateway's trailers, without them, or with a length of its own instead. */
export type Ending = 'trailers' | 'no trailers' | 'a length'

const TRAILERS = ['Repr-Digest', 'Counterfoil-Rows', 'Counterfoil-Replaced']

/** Starts a proxy before a gateway, whose replies it parses and writes anew. Every reply is well-formed HTTP. */
export async function startFaultyProxy(
  port: number,
  gatewayPort: number,
): Promise<{ set(fault: Fault, ending: Ending): void }> {
  let [fault, ending]: [Fault, Ending] = [(chunks) => chunks, 'trailers']
  const proxy = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming)
    const { method, url: path, headers } = incoming
    const forwarded = request({ host: '127.0.0.1', port: gatewayPort, method, path, headers })
    forwarded.end(body)
    const [answer] = (await once(forwarded, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk)
    const isReport = answer.headers['content-disposition'] !== undefined
    const sent = isReport ? fault(chunks) : chunks
    const { trailer: _, 'transfer-encoding': __, connection: ___, ...kept } = answer.headers
    const length = sent.reduce((sum, chunk) => sum + chunk.length, 0)
    outgoing.writeHead(answer.statusCode ?? 0, {
      ...kept,
      ...(isReport && ending === 'a length' && { 'content-length': length }),
      ...(isReport && ending === 'trailers' && { trailer: TRAILERS.join() }),
    })
    for (const chunk of sent) outgoing.write(chunk)
    if (isReport && ending === 'trailers') outgoing.addTrailers({ ...answer.trailers })
    outgoing.end()
  })
  proxy.listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return {
    set(newFault, newEnding) {
      ;[fault, ending] = [newFault, newEnding]
    },
  }
}
