import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { databaseSchema } from '../../../ledger/src/import/source/source.ts'
import { startPostgres } from '../kit/postgres-server.ts'
import { runHere } from '../kit/run-here.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const page = readFileSync(join(ROOT, 'docs/sync.md'), 'utf8')

/** The first block of code in a language. */
function block(language: string): string {
  const [, text = ''] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page) ?? []
  return text.replaceAll(/^ {3}/gm, '')
}

test('docs/sync.md lists exactly the members of a database', () => {
  const names = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(names).toEqual(Object.keys(databaseSchema.shape))
})

test('the steps of docs/sync.md bring the payments of an orchestrator into the ledger', async () => {
  const postgres = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  onTestFinished(async () => {
    rmSync(folder, { recursive: true })
    await postgres.remove()
  })
  await postgres.query('SET search_path = public; DROP SCHEMA IF EXISTS counterfoil')
  const client = await postgres.connect()
  await client.query('SET search_path = public')
  await client.query(readFileSync(join(ROOT, 'examples/databases/payments.sql'), 'utf8'))
  await client.query(block('sql'))
  await client.end()
  writeFileSync(join(folder, 'shop.password'), 'a long password', { mode: 0o600 })
  mkdirSync(join(folder, 'sources'))
  cpSync(join(ROOT, 'examples/sources/payments.sql'), join(folder, 'sources/payments.sql'))
  const { port, pathname } = new URL(postgres.settings.url)
  const config = join(folder, 'gateway.yaml')
  const own = block('yaml').replace('db.example.com:5432/shop', `127.0.0.1:${port}${pathname}`)
  const others = [
    'environment: sandbox',
    'publicUrl: http://127.0.0.1:8080',
    'reportPath: /r',
    'dataDir: data',
  ]
  const rest = ['reports: reports', 'masterKeys: [{ version: 1, file: none }]']
  writeFileSync(config, [...others, ...rest, own].join('\n'))
  const commands = block('sh')
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*/, '').split(' ').slice(1))
  const results = []
  for (const [command = '', source = ''] of commands) {
    results.push(await runHere(command, join(folder, source), '--config', config))
  }
  const counts = '4 rows: 3 taken, 0 unchanged, 0 older, 1 skipped, 0 refused.'
  expect(results).toMatchObject([
    { code: 0, stdout: expect.stringContaining(counts) },
    { code: 0, stdout: expect.stringContaining(counts) },
  ])
  expect(results[1]?.stdout).toMatch(/sale +approved +JPY +1 +5000/)
})
