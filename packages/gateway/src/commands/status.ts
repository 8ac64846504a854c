import type { Command } from 'commander'
import * as z from 'zod'
import { type Config, controlSocketFile, loadConfig } from '../config/config.ts'
import { askGateway } from '../control/ask-gateway.ts'
import { type Queries, readRows } from '../engine/engine.ts'
import { LEDGER_TABLES } from '../ledger/model.ts'
import { addConfigOption } from './config-option.ts'
import { table } from './table.ts'
import { withLedger } from './with-ledger.ts'

const MEBIBYTE = 1024 ** 2

/** What a running gateway says of itself. */
export const gatewayStatusSchema = z.object({
  pid: z.number(),
  version: z.string(),
  startedAt: z.string(),
  reportUrl: z.string(),
  running: z.number(),
  waiting: z.number(),
  outboxLagSeconds: z.number().optional(),
})

/** See {@link gatewayStatusSchema}. */
export type GatewayStatus = z.infer<typeof gatewayStatusSchema>

/** Adds `status`, which shows what the gateway does and what the ledger holds. */
export function addStatusCommand(program: Command): void {
  const status = program
    .command('status')
    .summary('show whether the gateway runs, and what the ledger holds')
    .description(
      'Shows the running gateway, its reports and its outbox, and the rows of each table of the ledger. If no gateway ' +
        'runs, the command opens the ledger itself.',
    )
  addConfigOption(status)
    .addHelpText('after', '\nExample:\n  counterfoil-gateway status --config gateway.yaml')
    .action(async (options: { config: string }) => {
      const config = loadConfig(options.config)
      const answer = await askGateway(controlSocketFile(config), 'status')
      const gateway = answer && gatewayStatusSchema.parse(answer.result)
      console.log(describeGateway(gateway))
      console.log(`\n${await describeLedger(config)}`)
    })
}

function describeGateway(gateway: GatewayStatus | undefined): string {
  if (!gateway) return 'No gateway runs.'
  const { pid, version, startedAt, reportUrl, running, waiting, outboxLagSeconds } = gateway
  const lines = [
    `The gateway has run since ${startedAt}: process ${pid}, version ${version}.`,
    `It answers at ${reportUrl}.`,
    `Reports: ${running} running, ${waiting} waiting.`,
  ]
  if (outboxLagSeconds !== undefined) {
    lines.push(
      `The oldest operation in the outbox has waited for ${outboxLagSeconds.toFixed(1)} s.`,
    )
  }
  return lines.join('\n')
}

const tableRow = z.object({ table: z.string(), rows: z.coerce.number(), bytes: z.coerce.number() })
const newestRow = z.object({ newest: z.string() })

async function describeLedger(config: Config): Promise<string> {
  return await withLedger(config, async ({ engine }) => {
    const tables = await readTables(engine)
    const lines = tables.map(({ table: name, rows, bytes }) => {
      return [name, rows.toLocaleString('en-US'), (bytes / MEBIBYTE).toFixed(1)]
    })
    const [newest] = await readRows(engine, newestRow, {
      sql: `SELECT if(count() = 0, 'none', formatDateTime(max(created_at), '%F %T UTC')) AS newest FROM transactions`,
      parameters: {},
    })
    return `${table(['TABLE', 'ROWS', 'MIB'], lines)}\n\nNewest transaction: ${newest?.newest}`
  })
}

async function readTables(engine: Queries): Promise<readonly z.output<typeof tableRow>[]> {
  const tables = await readRows(engine, tableRow, {
    sql: `SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts
      WHERE active AND database = currentDatabase() GROUP BY table`,
    parameters: {},
  })
  return Object.keys(LEDGER_TABLES).map((name) => {
    return tables.find((row) => row.table === name) ?? { table: name, rows: 0, bytes: 0 }
  })
}
