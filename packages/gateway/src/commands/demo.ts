import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CounterfoilClient } from '@counterfoil/client'
import type { ReportRequest } from '@counterfoil/protocol'
import type { Config } from '../config/config.ts'
import type { Engine } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import { type Log, createLog, openLogDestination } from '../observe/log.ts'
import { createEndpoints } from '../payments/endpoints.ts'
import { probePort } from '../http/listen.ts'
import { curlLine } from '../demo/demo-curl.ts'
import {
  DEMO_MERCHANTS,
  type DemoLogin,
  openDemoLedger,
  prepareDemoLogins,
} from '../demo/demo-data.ts'
import { DEMO_HOST, prepareDemoConfig, readDemoSettings } from '../demo/demo-settings.ts'
import { command, flag } from './command.ts'
import { ignoreHangUp, waitForStopSignal, withGateway } from './with-gateway.ts'

/** One day of a shop: about 300 rows of a ledger of a million. */
const REQUEST: ReportRequest = {
  reportIdentifier: 'transactions-list',
  reportName: 'my-transactions',
  inputReportParameters: [
    { type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-10-30' },
    { type: 'INPUT_TEXT', name: 'dateTo', value: '2026-10-31' },
  ],
}
const LINES_SHOWN = 4
const ENDPOINTS_SHOWN = 4

export const DEMO = command({
  name: 'demo',
  summary: 'try a sandbox gateway with made-up transactions',
  description:
    'Runs a sandbox gateway with made-up transactions, and requests a report from it. The demo needs no configuration.',
  environment: {
    PORT: 'port of the gateway (default: 8080)',
    ROWS: 'number of transactions (default: 1000000)',
    DATA_DIR: "folder of the demo's files (default: var/demo);",
    '': 'its demo.json holds the logins and their keys',
  },
  examples: ['demo'],
  takes: { once: flag('--once', 'stop after the report') },
  run: async ({ once }) => {
    const settings = readDemoSettings(process.env)
    await probeDemoPort(settings.port)
    const config = prepareDemoConfig(settings)
    // The ledger first: if another demo runs on it, this fails before it touches any file of that demo.
    process.on('SIGHUP', ignoreHangUp)
    const engine = await openDemoLedger(config, settings.rows, (step) => console.log(step))
    const logins = await prepareDemoLogins(config, process.env)
    const destination = openLogDestination(join(config.dataDir, 'gateway.log'))
    const log = showInfo(createLog({ level: config.log.level, destination }))
    await withGateway(config, engine, { log, environment: process.env }, async (gateway) => {
      await showReport(gateway.reportUrl, config, logins)
      showCurl(gateway.reportUrl, logins)
      await showOperations(config, engine)
      const stopping = waitForStopSignal()
      console.log(`Console: ${config.publicUrl}/`)
      console.log(`Ready: ${gateway.reportUrl}`)
      if (once) return
      console.log('Logins and keys: %s. Ctrl-C ends the demo.', join(config.dataDir, 'demo.json'))
      await stopping
    })
  },
})

async function probeDemoPort(port: number): Promise<void> {
  try {
    await probePort({ host: DEMO_HOST, port })
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause
    const advice = 'Choose another port with the variable PORT, such as PORT=9000'
    throw new GatewayError('port', `${cause.message} ${advice}`, { cause })
  }
}

/** Also prints the gateway's info messages on the terminal. Requests go to the log only. */
function showInfo(log: Log): Log {
  return {
    ...log,
    info: (message) => {
      log.info(message)
      console.log(message)
    },
  }
}

async function showReport(
  reportUrl: string,
  config: Config,
  logins: readonly DemoLogin[],
): Promise<void> {
  const merchant = logins.find(({ role, controlKey }) => role === 'merchant' && controlKey)
  if (!merchant?.controlKey) return
  const { login, controlKey } = merchant
  const client = new CounterfoilClient({ endpoint: reportUrl, login, controlKey })
  const file = join(config.dataDir, `${login}.csv`)
  const saved = await client.download(REQUEST, {}, file, { overwrite: true })
  console.log(`\nA report for ${login}, signed with its control key:\n`)
  for (const line of readFileSync(file, 'utf8').split('\r\n', LINES_SHOWN)) console.log(`  ${line}`)
  console.log(`  …\n\n${saved.rows} rows, digest and count agree, in ${file}\n`)
}

/** Prints the address and the endpoints that docs/sandbox.md needs. */
async function showOperations({ publicUrl, payments }: Config, engine: Engine): Promise<void> {
  const address = publicUrl + (payments?.apiPathPrefix ?? '')
  console.log(`Form operations (docs/sandbox.md): ${address}\nEndpoints, each with its currency:\n`)
  const endpoints = createEndpoints(engine, () => performance.now())
  for (const [login, merchant] of Object.entries(DEMO_MERCHANTS)) {
    const own = await endpoints.of({ role: 'merchant', sees: [merchant] })
    const shown = own.slice(0, ENDPOINTS_SHOWN).map((one) => `${one.endpoint_id} (${one.currency})`)
    const more = own.length - shown.length
    console.log(`  ${login}: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`)
  }
  console.log()
}

function showCurl(reportUrl: string, logins: readonly DemoLogin[]): void {
  const merchant = logins.find(({ privateKeyFile }) => privateKeyFile)
  if (!merchant?.privateKeyFile) return
  const { login, privateKeyFile } = merchant
  const line = curlLine({ reportUrl, login, privateKeyFile, body: JSON.stringify(REQUEST) })
  console.log(
    `The same report for ${login}, signed with its RSA key. Paste this line into another shell:\n\n${line}\n`,
  )
}
