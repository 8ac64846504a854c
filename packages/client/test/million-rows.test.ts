// @module-tag long

// A million rows, in a process that has no memory for them.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { formatReprDigest } from '@counterfoil/protocol'
import { expect, test } from 'vitest'
import { beginReport, CONTROL_KEY, type Handler, LOGIN, startGateway } from './fixture-gateway.ts'

const ROWS = 1_000_000
const ROWS_OF_CHUNK = 1000
const HEAP_MIB = 48

const ROW = `${JSON.stringify({ A: 'a text of some length '.repeat(10), B: '1' })}\n`
const PROGRAM = `
import { CounterfoilClient } from '${join(import.meta.dirname, '../src/index.ts')}'

const client = new CounterfoilClient(JSON.parse(process.argv[1] ?? ''))
let rows = 0
const kept = []
for await (const row of client.rows('list')) {
  rows += 1
  if (process.argv[2] === 'keep') kept.push(row)
}
console.log(rows)
`

test('reads a million rows in constant memory', async () => {
  const endpoint = await serveRows()
  await expect(read(endpoint, 'drop')).resolves.toBe(`${ROWS}\n`)
  // The same process could not hold the rows.
  await expect(read(endpoint, 'keep')).rejects.toThrow('heap out of memory')
})

async function read(endpoint: string, mode: 'drop' | 'keep'): Promise<string> {
  const connection = JSON.stringify({ endpoint, login: LOGIN, controlKey: CONTROL_KEY })
  const options = [`--max-old-space-size=${HEAP_MIB}`, '--input-type=module-typescript']
  const args = [...options, '-e', PROGRAM, connection, mode]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout
}

async function serveRows(): Promise<string> {
  const chunk = Buffer.from(ROW.repeat(ROWS_OF_CHUNK))
  const handle: Handler = async (response) => {
    beginReport(response, { contentType: 'application/x-ndjson' })
    const hash = createHash('sha256')
    async function* chunks() {
      for (let sent = 0; sent < ROWS; sent += ROWS_OF_CHUNK) {
        hash.update(chunk)
        yield chunk
      }
    }
    // A process without memory closes the connection.
    await pipeline(chunks, response, { end: false }).catch(() => {})
    const digest = formatReprDigest(hash.digest('base64'))
    response.addTrailers({ 'Repr-Digest': digest, 'Counterfoil-Rows': String(ROWS) })
    response.end()
  }
  return (await startGateway(handle)).endpoint
}
