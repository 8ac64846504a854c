import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { stringify } from 'yaml'
import { GatewayError } from '@counterfoil/common'
import { listTables, openDatabase, type SourceDatabase } from '@counterfoil/databases'
import { guessSource, lookAtFile, lookAtTable } from '@counterfoil/ledger'
import { SHIPPED_REPORTS } from '../config/config.ts'
import { databaseSettings, databaseUrl } from '../config/databases.ts'
import { argument, command, option } from './command.ts'
import { ask } from './terminal.ts'

const CONFIG = `# docs/configuration.md explains every field. For production, start from examples/production.yaml.
environment: sandbox
publicUrl: http://127.0.0.1:8081
listen: { port: 8081 }
reportPath: /ui/services/v2/rpt-engine
dataDir: data
reports: reports
masterKeys: [{ version: 1, file: master-1.key }]
`

export const INIT = command({
  name: 'init',
  summary: 'prepare this folder for a gateway, and write a source for your data',
  description:
    'Writes gateway.yaml, master-1.key and reports/ into the current folder, unless it has a gateway.yaml. For each ' +
    'file, and for a table of a database, looks at the first 1,000 rows and writes sources/NAME.sql with a guess for ' +
    'each column. Asks for what it is not told, on a terminal. Replaces no file.',
  examples: [
    'init settlement-2026-10.csv',
    'init postgresql://reports@db.example.com/shop \\\n    --table payments --password-file shop.password',
  ],
  takes: {
    given: argument<readonly string[]>(
      '[from...]',
      'CSV with a header row, or JSON; or the URL of a database',
    ),
    table: option('--table <name>', 'table or view of the database'),
    passwordFile: option('--password-file <file>', "file with the password of the database's user"),
  },
  run: async ({ given, table: name, passwordFile }) => {
    const asked =
      given.length === 0 ? await ask('Your transactions (a file, or the URL of a database)') : ''
    const from = asked === '' ? given : [asked]
    const url = from.find((text) => text.includes('://'))
    const table = url === undefined ? undefined : await findTable(url, name, passwordFile)
    if (!existsSync('gateway.yaml')) initFolder(table?.config)
    else if (table) console.log(`Add to gateway.yaml:\n\n${table.config}`)
    if (table) writeSource(table.path, table.source)
    else for (const file of from) await initFile(file)
  },
})

function initFolder(more = ''): void {
  write('master-1.key', `${randomBytes(32).toString('base64')}\n`, 0o600)
  if (!existsSync('reports')) {
    cpSync(SHIPPED_REPORTS, 'reports', { recursive: true, dereference: true })
    console.log('Wrote reports/, one file for each report.')
  }
  write('gateway.yaml', CONFIG + more)
}

async function initFile(file: string): Promise<void> {
  const [name = ''] = basename(file).split('.')
  const short = name.replace(/[-_]?\d{4}([-_]?\d{2}){0,2}$/, '') || name
  writeSource(join('sources', `${short}.sql`), guessSource(await lookAtFile(file)), file)
}

function writeSource(path: string, source: string, file = ''): void {
  mkdirSync('sources', { recursive: true })
  write(path, source)
  const open = source.split('DECIDE').length - 1
  const decide = open === 0 ? 'Read it' : `Decide its ${open} lines marked DECIDE`
  const words = ['counterfoil-gateway try', path, file, '--config gateway.yaml']
  console.log(`${decide}, then run: ${words.filter(Boolean).join(' ')}`)
}

/** Looks at a table of a database. Returns its source, and what the configuration needs. */
async function findTable(url: string, table?: string, passwordFile?: string) {
  const fault = databaseUrl.safeParse(url).error?.issues[0]?.message
  if (fault !== undefined) throw new GatewayError('config', `the URL of the database: ${fault}`)
  const password = passwordFile ?? (await ask('Path of a file with the password'))
  if (password === '') throw new GatewayError('config', 'expected --password-file')
  const name = nameOf(new URL(url).pathname, 'data')
  const databases = { [name]: { url, passwordFile: password } }
  const database = await openDatabase(databaseSettings(databases, name))
  try {
    const chosen = table ?? (await askTable(database))
    const path = join('sources', `${nameOf(chosen, 'table')}.sql`)
    const source = guessSource(await lookAtTable(database, name, chosen))
    const syncs = [{ source: path, schedule: '*/5 * * * *', compareAll: '0 3 * * 0' }]
    return { path, source, config: stringify({ databases, syncs }) }
  } finally {
    await database.close()
  }
}

/** The last word of a path or a name, for a file or the configuration. */
function nameOf(text: string, instead: string): string {
  return /[a-z][a-z0-9_-]{0,31}$/.exec(text.toLowerCase())?.[0] ?? instead
}

async function askTable(database: SourceDatabase): Promise<string> {
  const tables = await listTables(database)
  const table = await ask(`The table or view (${tables.join(', ')})`)
  if (table !== '') return table
  throw new GatewayError('config', `expected --table. The database has ${tables.join(', ')}`)
}

function write(path: string, text: string, mode = 0o644): void {
  if (existsSync(path)) throw new GatewayError('config', `${path} exists. Nothing replaces it.`)
  writeFileSync(path, text, { mode, flag: 'wx' })
  console.log(`Wrote ${path}.`)
}
