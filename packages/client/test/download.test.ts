import { execFileSync } from 'node:child_process'
import { lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ErrorCode } from '../src/index.ts'
import {
  beginReport,
  connect,
  CSV,
  CSV_ROWS,
  type Handler,
  refuse,
  sendReport,
  startGateway,
  folder,
  useFolder,
} from './fixture-gateway.ts'

useFolder()

test('saves a complete report for its owner only, and nothing beside it', async () => {
  const client = connect(await startGateway((response) => sendReport(response)))
  const file = join(folder, 'may.csv')
  const progress: unknown[] = []
  const saved = await client.download('transactions-list', {}, file, {
    onProgress: (bytes, rows) => progress.push([bytes, rows]),
  })
  expect(saved).toMatchObject({
    file,
    rows: CSV_ROWS,
    bytes: Buffer.byteLength(CSV),
    runId: 'request-1',
  })
  expect(progress.at(-1)).toEqual([Buffer.byteLength(CSV), CSV_ROWS])
  expect(await readFile(file, 'utf8')).toBe(CSV)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['may.csv'])
})

test.each([
  ['attachment; filename="../../x"', 'x'],
  [`attachment; filename*=UTF-8''%d0%be%d1%82%d1%87%d1%91%d1%82.csv`, 'отчёт.csv'],
  ['attachment', 'report'],
])(
  'saves into a directory under the name that the gateway gives: %s',
  async (disposition, name) => {
    const client = connect(
      await startGateway((response) => sendReport(response, CSV, { disposition })),
    )
    const saved = await client.download('transactions-list', {}, { directory: folder })
    expect(saved.file).toBe(join(folder, name))
    expect(await readdir(folder)).toEqual([name])
  },
)

test('keeps its name to itself until the report is complete', async () => {
  const seen: string[][] = []
  const client = connect(
    await startGateway(async (response) => {
      beginReport(response)
      response.write('"Id"\r\n')
      await sleep(50)
      seen.push(await readdir(folder))
      response.socket?.destroy()
    }),
  )
  const saving = client.download('transactions-list', {}, join(folder, 'may.csv'))
  await expect(saving).rejects.toMatchObject({ code: 'truncated' })
  expect(seen).toEqual([[expect.stringMatching(/^\.may\.csv\..+\.part$/)]])
  expect(await readdir(folder)).toEqual([])
})

test.each<[string, Handler, ErrorCode]>([
  ['a refusal', (response) => refuse(response, ''), 'not-authorised'],
  [
    'a wrong digest',
    (r) => sendReport(r, `${CSV}x`, { digest: `sha-256=:${'A'.repeat(43)}=:` }),
    'digest-mismatch',
  ],
])(
  'leaves no file behind after %s, and a file that was there as it was',
  async (_, handle, code) => {
    const gateway = await startGateway(handle)
    const client = connect(gateway)
    const file = join(folder, 'may.csv')
    await expect(client.download('transactions-list', {}, file)).rejects.toMatchObject({ code })
    expect(await readdir(folder)).toEqual([])
    await writeFile(file, 'before')
    const replacing = client.download('transactions-list', {}, file, { overwrite: true })
    await expect(replacing).rejects.toMatchObject({ code })
    expect(await readdir(folder)).toEqual(['may.csv'])
    expect(await readFile(file, 'utf8')).toBe('before')
  },
)

test('refuses an existing file, if its name is known before the request, unless overwrite is set', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const client = connect(gateway)
  const file = join(folder, 'transactions-list.csv')
  await writeFile(file, 'before')
  await expect(client.download('transactions-list', {}, file)).rejects.toMatchObject({
    code: 'file-error',
    message: `${file} already exists`,
  })
  expect(gateway.received).toEqual([])
  const named = client.download('transactions-list', {}, { directory: folder })
  await expect(named).rejects.toMatchObject({ code: 'file-error' })
  expect(await readFile(file, 'utf8')).toBe('before')
  await client.download('transactions-list', {}, file, { overwrite: true })
  expect(await readFile(file, 'utf8')).toBe(CSV)
})

test('refuses to replace a pipe before it asks', async () => {
  const gateway = await startGateway((response) => sendReport(response))
  const file = join(folder, 'pipe')
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', file])
  const saving = connect(gateway).download('transactions-list', {}, file, { overwrite: true })
  await expect(saving).rejects.toMatchObject({
    code: 'file-error',
    message: `${file} is not a regular file, so a report cannot replace it`,
  })
  expect(gateway.received).toEqual([])
  expect((await lstat(file)).isFIFO()).toBe(true)
})

test('replaces a symbolic link, and leaves what it leads to', async () => {
  const client = connect(await startGateway((response) => sendReport(response)))
  const [file, other] = [join(folder, 'may.csv'), join(folder, 'other')]
  await writeFile(other, 'before')
  await symlink(other, file)
  await client.download('transactions-list', {}, file, { overwrite: true })
  expect(await readFile(file, 'utf8')).toBe(CSV)
  expect(await readFile(other, 'utf8')).toBe('before')
})

test.each(['a file', 'a link to nowhere'])(
  'does not replace %s that appears while the report comes',
  async (what) => {
    const file = join(folder, 'may.csv')
    const client = connect(
      await startGateway(async (response) => {
        await (what === 'a file' ? writeFile(file, 'other') : symlink('nowhere', file))
        sendReport(response)
      }),
    )
    await expect(client.download('transactions-list', {}, file)).rejects.toMatchObject({
      code: 'file-error',
    })
    expect(await readdir(folder)).toEqual(['may.csv'])
  },
)

test('says so when the directory is not there, or the target is a directory', async () => {
  const client = connect(await startGateway((response) => sendReport(response)))
  const missing = client.download('transactions-list', {}, join(folder, 'no', 'x.csv'))
  await expect(missing).rejects.toMatchObject({
    code: 'file-error',
    message: expect.stringContaining('ENOENT'),
  })
  const replacing = client.download('transactions-list', {}, folder, { overwrite: true })
  await expect(replacing).rejects.toMatchObject({ code: 'file-error' })
  expect(await readdir(folder)).toEqual([])
})

test('leaves no file behind when it is aborted', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const client = connect(
    await startGateway((response) => {
      beginReport(response)
      response.write(CSV)
    }),
  )
  const saving = client.download('transactions-list', {}, join(folder, 'may.csv'), {
    signal: controller.signal,
    onProgress: () => controller.abort(reason),
  })
  await expect(saving).rejects.toBe(reason)
  expect(await readdir(folder)).toEqual([])
})

test('saves under the longest of names', async () => {
  const client = connect(await startGateway((response) => sendReport(response)))
  const name = `${'я'.repeat(125)}.csv`
  await client.download('transactions-list', {}, join(folder, name))
  expect(await readdir(folder)).toEqual([name])
})

test('saves many chunks whole', async () => {
  const csv = `"Id"\r\n${'"a row, with \r\n a break"\r\n'.repeat(200_000)}`
  const client = connect(
    await startGateway((response) => sendReport(response, csv, { rows: '200000' })),
  )
  const file = join(folder, 'many.csv')
  await client.download('transactions-list', {}, file)
  expect((await readFile(file, 'utf8')) === csv).toBe(true)
})
