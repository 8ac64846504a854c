import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Command } from 'commander'
import { GatewayError } from '@counterfoil/common'
import { guessSource } from '@counterfoil/ledger'
import { SHIPPED_REPORTS } from '../config/shipped-reports.ts'

const CONFIG = `# docs/configuration.md explains every field. For production, start from examples/production.yaml.
environment: sandbox
publicUrl: http://127.0.0.1:8081
listen: { port: 8081 }
reportPath: /ui/services/v2/rpt-engine
dataDir: data
reports: reports
masterKeys: [{ version: 1, file: master-1.key }]
`

/** Adds `init`, which prepares a folder for a gateway, and writes a source for a file. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .summary('prepare this folder for a gateway, and write a source for a file')
    .description(
      'Writes gateway.yaml, master-1.key and reports/ into the current folder, unless it has a gateway.yaml. For each ' +
        'file, looks at its first rows and writes sources/NAME.sql with a guess for each column. Replaces no file.',
    )
    .argument('[file...]', 'CSV with a header row, or JSON')
    .addHelpText('after', '\nExample:\n  counterfoil-gateway init settlement-2026-10.csv')
    .action(async (files: string[]) => {
      if (!existsSync('gateway.yaml')) initFolder()
      for (const file of files) await initSource(file)
    })
}

function initFolder(): void {
  const key = `${randomBytes(32).toString('base64')}\n`
  write('master-1.key', key, 0o600)
  if (!existsSync('reports')) {
    cpSync(SHIPPED_REPORTS, 'reports', { recursive: true, dereference: true })
    console.log('Wrote reports/, one file for each report.')
  }
  write('gateway.yaml', CONFIG)
}

async function initSource(file: string): Promise<void> {
  const [name = ''] = basename(file).split('.')
  const path = join('sources', `${name.replace(/[-_]?\d{4}([-_]?\d{2}){0,2}$/, '') || name}.sql`)
  const source = await guessSource(file)
  mkdirSync('sources', { recursive: true })
  write(path, source)
  const open = source.split('DECIDE').length - 1
  const decide = open === 0 ? 'Read it' : `Decide its ${open} lines marked DECIDE`
  console.log(`${decide}, then run: counterfoil-gateway try ${path} ${file} --config gateway.yaml`)
}

function write(path: string, text: string, mode = 0o644): void {
  if (existsSync(path)) throw new GatewayError('config', `${path} exists. Nothing replaces it.`)
  writeFileSync(path, text, { mode, flag: 'wx' })
  console.log(`Wrote ${path}.`)
}
