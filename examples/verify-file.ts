// Checks a file that was saved earlier against the gateway's manifest of its run: rows, bytes and SHA-256.
//
//   COUNTERFOIL_ENDPOINT=https://... COUNTERFOIL_LOGIN=shop COUNTERFOIL_CONTROL_KEY=... npx node examples/verify-file.ts FILE RUN_ID
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { CounterfoilClient } from '@counterfoil/client'

const {
  COUNTERFOIL_ENDPOINT: endpoint = '',
  COUNTERFOIL_LOGIN: login = '',
  COUNTERFOIL_CONTROL_KEY: controlKey = '',
} = process.env
const [, , path = '', runId = ''] = process.argv

const client = new CounterfoilClient({ endpoint, login, controlKey })
const { file, outcome } = await client.manifest(runId)
if (!file) throw new Error(`the run is not complete: ${outcome}`)

const sha256 = createHash('sha256')
await pipeline(createReadStream(path), sha256)
if (sha256.digest('base64') === file.sha256) {
  console.log(`${path} is the file of the run: ${file.rows} rows, ${file.bytes} bytes`)
} else {
  console.error(`${path} is not the file of the run`)
  process.exitCode = 1
}
