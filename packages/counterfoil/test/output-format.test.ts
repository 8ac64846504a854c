import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FixtureGateway, sendReport, startGateway } from '../../client/test/fixture-gateway.ts'
import { folder, merchantEnv, useFolder } from './fixture.ts'
import { runHere } from './run-command.ts'

useFolder()

async function report({ endpoint }: FixtureGateway, options: readonly string[]) {
  const env = merchantEnv({ endpoint })
  return await runHere(['report', ...options], { folder, env })
}

test('chooses the format by the extension of the file', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const files = ['a.XLSX', 'b.pdf', 'c.jsonl', 'd-{report}.parquet', 'e.csv', 'f.txt']
  for (const file of files)
    expect(await report(gateway, ['x', '-o', file])).toMatchObject({ code: 0 })
  await report(gateway, ['x', '--format', 'xlsx', '-o', 'g.xlsx'])
  await report(gateway, ['x', '--format', 'PDF', '-o', 'h.txt'])
  expect(gateway.received.map(({ request }) => request?.reportFormat)).toEqual([
    'XLSX',
    'PDF',
    'JSONL',
    'PARQUET',
    'CSV',
    undefined,
    'xlsx',
    'PDF',
  ])
})

test('refuses a file whose extension contradicts the format', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  await writeFile(join(folder, 'request.json'), JSON.stringify({ reportFormat: 'CSV' }))
  for (const format of [
    ['--format', 'csv'],
    ['--request', 'request.json'],
  ]) {
    expect(await report(gateway, ['x', ...format, '-o', 'october.xlsx'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^counterfoil: --output: \.xlsx is XLSX, but the format is CSV[;]/i,
      ),
    })
  }
  expect(await report(gateway, ['x', '-o', 'october.XLS'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--output: there is no format for .xls; write .xlsx'),
  })
  const split = ['--split', 'day', '--from', '2026-05-01', '--to', '2026-05-03', '-o', 'may.pdf']
  expect(await report(gateway, ['x', ...split])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('split: cannot join PDF in UTF-8; use CSV or JSONL'),
  })
  expect(gateway.received).toEqual([])
})
