import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { databaseSchema } from '../../../ledger/src/import/source/source.ts'
import { startPostgres } from '../kit/postgres-server.ts'
import { runHere } from '../kit/run-here.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const page = readFileSync(join(ROOT, 'docs/sync.md'), 'utf8')

/** The blocks of code in a language. */
function blocks(language: string): readonly string[] {
  const found = page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))
  return [...found].map(([, text = '']) => text.replaceAll(/^ {3}/gm, ''))
}

/** The words of the commands in a block. */
function commandsOf(block = ''): readonly (readonly string[])[] {
  const lines = block
    .trim()
    .replaceAll(/ \\\n */g, ' ')
    .split('\n')
  return lines.map((line) => line.replace(/ +#.*/, '').split(' ').slice(1))
}

test('docs/sync.md lists exactly the members of a database', () => {
  const names = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(names).toEqual(Object.keys(databaseSchema.shape))
})

test('the steps of docs/sync.md bring the payments of an orchestrator into the ledger', {
  tags: ['long'],
}, async () => {
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
  await client.query(blocks('sql')[0] ?? '')
  await client.end()
  writeFileSync(join(folder, 'shop.password'), 'a long password', { mode: 0o600 })
  const { port, pathname } = new URL(postgres.settings.url)
  const [init, others] = blocks('sh')
  const here = (text = '') => {
    return text.replaceAll('db.example.com:5432/shop', `127.0.0.1:${port}${pathname}`)
  }
  const [words = []] = commandsOf(here(init))
  const main = join(ROOT, 'packages/gateway/src/main.ts')
  const run = (...args: readonly string[]) => {
    return spawnSync(process.execPath, [main, ...args], { cwd: folder, encoding: 'utf8' })
  }
  const tableless = run(...words.filter((word) => !['--table', 'payments'].includes(word)))
  expect(tableless.stderr).toContain('--table. The database has public.merchants, public.payments')
  const { stdout } = run(...words)
  expect(stdout).toContain('then run: counterfoil-gateway try sources/payments.sql')
  const config = join(folder, 'gateway.yaml')
  const name = pathname.slice(1)
  expect(readFileSync(config, 'utf8')).toContain(
    here(blocks('yaml')[0]).replace('shop:', `${name}:`),
  )

  const source = join(folder, 'sources/payments.sql')
  const commands = commandsOf(others).map(([command = '']) => [command, source, '--config', config])
  const guessed = await runHere(...(commands[0] ?? []))
  expect(guessed.stdout).toContain('4 rows: 4 taken, 0 unchanged, 0 older, 0 refused.')

  const example = readFileSync(join(ROOT, 'examples/sources/payments.sql'), 'utf8')
  writeFileSync(source, example.replace('name: orchestrator', `name: ${name}`))
  const results = []
  for (const command of commands) results.push(await runHere(...command))
  const counts = '4 rows: 3 taken, 0 unchanged, 0 older, 1 skipped, 0 refused.'
  expect(results).toMatchObject([
    { code: 0, stdout: expect.stringContaining(counts) },
    { code: 0, stdout: expect.stringContaining(counts) },
  ])
  expect(results[1]?.stdout).toMatch(/sale +approved +JPY +1 +5000/)
})
