// What a merchant's program does: it signs a request and sends it with `fetch`, then it saves the report with the
// client.

import { CounterfoilClient, type Download } from '@counterfoil/client'
import { importControlKey, sign } from '@counterfoil/signing'

const { ENDPOINT: endpoint = '', LOGIN: login = '', CONTROL_KEY: controlKey = '' } = process.env
const report = { reportIdentifier: 'transactions-list' }

const body = JSON.stringify(report)
const request = { method: 'POST', url: endpoint, contentType: 'application/json', body }
const key = await importControlKey(controlKey)
const { headers } = await sign(request, { consumerKey: login, key })
const response = await fetch(endpoint, { method: 'POST', headers, body })
const fetched = (await response.arrayBuffer()).byteLength

const client = new CounterfoilClient({ endpoint, login, controlKey })
const saved: Download = await client.download(report, {}, 'report.csv', { overwrite: true })
const { bytes, rows } = saved
console.log(JSON.stringify({ status: response.status, fetched, bytes, rows }))
