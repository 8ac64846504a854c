import * as z from 'zod'
import { type Queries, readRows } from '@counterfoil/engine'
import {
  LEDGER_TABLES,
  type ListedImport,
  listImports,
  listSyncs,
  type SyncRecord,
} from '@counterfoil/ledger'
import { type Config, controlSocketFile } from '../config/config.ts'
import { askGateway } from '../control/control-client.ts'
import { command, CONFIG } from './command.ts'
import { table } from './terminal.ts'
import { withLedger } from './with-ledger.ts'

const MEBIBYTE = 1024 ** 2
const IMPORTS_SHOWN = 10

const statusSchema = z.object({
  pid: z.number(),
  version: z.string(),
  startedAt: z.string(),
  /** Absent while the gateway starts. */
  serving: z
    .object({
      reportUrl: z.string(),
      running: z.number(),
      waiting: z.number(),
      outboxLagSeconds: z.number().optional(),
    })
    .optional(),
})

export type GatewayStatus = z.infer<typeof statusSchema>

export const STATUS = command({
  name: 'status',
  summary: 'show whether the gateway runs, and what the ledger holds',
  description:
    'Shows the running gateway, its reports and its outbox, the rows and the size of each table of the ledger, and the ' +
    'newest imports. If no gateway runs, the command opens the ledger itself.',
  examples: ['status --config gateway.yaml'],
  takes: { config: CONFIG },
  run: async ({ config }) => {
    const answer = await askGateway(controlSocketFile(config), 'status')
    const gateway = statusSchema.optional().parse(answer)
    console.log(describeGateway(gateway))
    if (!gateway || gateway.serving) console.log(`\n${await describeLedger(config)}`)
  },
})

function describeGateway(gateway: GatewayStatus | undefined): string {
  if (!gateway) return 'No gateway runs.'
  const { pid, version, startedAt, serving } = gateway
  const named = `process ${pid}, version ${version}`
  if (!serving) {
    return (
      `The gateway has been starting since ${startedAt}: ${named}.\n` +
      'The gateway does not answer requests yet: its log says what it does.'
    )
  }
  const { reportUrl, running, waiting, outboxLagSeconds: lag } = serving
  const outbox =
    lag === undefined
      ? ''
      : `\nThe oldest operation in the outbox has waited for ${lag.toFixed(1)} s.`
  return (
    `The gateway has run since ${startedAt}: ${named}.\nIt answers at ${reportUrl}.\n` +
    `Reports: ${running} running, ${waiting} waiting.${outbox}`
  )
}

const tableRow = z.object({ table: z.string(), rows: z.coerce.number(), bytes: z.coerce.number() })
const newestRow = z.object({ newest: z.string() })

async function describeLedger(config: Config): Promise<string> {
  return await withLedger(config, async ({ engine }) => {
    const [newest] = await readRows(engine, newestRow, {
      sql: `SELECT if(count() = 0, 'none', formatDateTime(max(created_at), '%F %T UTC')) AS newest
        FROM transactions`,
    })
    const imports = await listImports(engine, { most: IMPORTS_SHOWN })
    const syncs = await listSyncs(engine)
    return [
      await describeTables(engine),
      `Newest transaction: ${newest?.newest}`,
      ...(syncs.length > 0 ? [describeSyncs(syncs, Date.now())] : []),
      ...(imports.length > 0 ? [describeImports(imports)] : []),
    ].join('\n\n')
  })
}

/** A table of the rows and the size of each table. A view of the operator's has no size. */
async function describeTables(engine: Queries): Promise<string> {
  const sizes = await readRows(engine, tableRow, {
    // `system.tables` needs no right.
    sql: `SELECT name AS table, assumeNotNull(total_rows) AS rows, assumeNotNull(total_bytes) AS bytes
      FROM system.tables WHERE database = currentDatabase() AND total_rows IS NOT NULL`,
  })
  const lines = Object.keys(LEDGER_TABLES).map((name) => {
    const size = sizes.find((sized) => sized.table === name)
    return [name, size?.rows ?? 0, size ? (size.bytes / MEBIBYTE).toFixed(1) : '']
  })
  return table(['TABLE', 'ROWS', 'MIB'], lines)
}

/** A table of the last sync of each source, and why it failed. */
function describeSyncs(syncs: readonly SyncRecord[], now: number): string {
  const lines = syncs.map(({ source, syncedAt, taken, deleted, refused }) => {
    const lag = syncedAt === undefined ? '' : `${Math.floor((now - Date.parse(syncedAt)) / 1000)} s`
    return [source, syncedAt ?? 'never', lag, taken, deleted, refused]
  })
  const failed = syncs
    .filter(({ error }) => error !== '')
    .map(({ source, triedAt, error }) => `\nThe sync of ${source} at ${triedAt} failed: ${error}`)
  const titles = ['SOURCE', 'SYNCED', 'LAG', 'TAKEN', 'DELETED', 'REFUSED']
  return table(titles, lines) + failed.join('')
}

/** A table of the newest imports, with the ids that `import undo` takes. */
function describeImports(imports: readonly ListedImport[]): string {
  const lines = imports.map((one) => {
    const { id, importedAt, table: name, taken, replaced, refused, source, files } = one
    const others = files.length > 1 ? ` and ${files.length - 1} more` : ''
    const forced = one.isForced ? ' (into closed days)' : ''
    const undone = one.isUndone ? ' (undone)' : forced
    const from = `${files[0] ?? `sync of ${source}`}${others}${undone}`
    return [String(id), importedAt, name, taken, replaced, refused, from]
  })
  return table(['IMPORT', 'TIME', 'TABLE', 'TAKEN', 'REPLACED', 'REFUSED', 'FROM'], lines)
}
