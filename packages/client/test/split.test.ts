// @module-tag long

import { chmod, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ConnectionOptions, ReportOptions } from '../src/index.ts'
import {
  beginReport,
  BODY_LOGIN,
  connect,
  type Handler,
  type ReportShape,
  sendRecords,
  sendReport,
  startGateway,
} from './fixture-gateway.ts'

const MAY = { dateFrom: '2026-05-01', dateTo: '2026-06-01' }
const HEADER = '"Id","a\r\nday"\r\n'

let folder = ''
let file = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-'))
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-06-01T00:00:00Z') })
  file = join(folder, 'may.csv')
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(folder, { recursive: true })
})

/** The rows of a day: as many as the day's number. */
function rowsOf(day: string): string {
  return Array.from({ length: Number(day.slice(8)) }, (_, id) => `"${id}","${day}\n"\r\n`).join('')
}

/** The joined file of May. */
const ROWS_OF_MAY = Array.from({ length: 31 }, (_, index) => rowsOf(dayOf(index + 1))).join('')
const [WHOLE, ROWS] = [HEADER + ROWS_OF_MAY, (31 * 32) / 2]

function dayOf(number: number): string {
  return `2026-05-${String(number).padStart(2, '0')}`
}

const sendDay: Handler = (response, received) => sendRows(response, received)

/** Answers with the rows of the requested day. */
function sendRows(
  response: Parameters<Handler>[0],
  received: Parameters<Handler>[1],
  { header = HEADER, ...shape }: ReportShape & { readonly header?: string } = {},
): void {
  const day = startOf(received)
  sendReport(response, header + rowsOf(day), { rows: String(Number(day.slice(8))), ...shape })
}

function startOf({ request }: Parameters<Handler>[1]): string {
  return request?.inputReportParameters?.find(({ name }) => name === 'dateFrom')?.value ?? ''
}

async function startDays(handle: Handler, connection?: ConnectionOptions) {
  const gateway = await startGateway(handle, undefined, sendRecords)
  const client = connect(gateway, connection)
  const download = async (options: ReportOptions = MAY, overwrite = false) => {
    return await client.download('transactions-list', options, file, { split: 'day', overwrite })
  }
  const days = () =>
    gateway.received.filter(({ path }) => path.endsWith('/rpt-engine')).map(startOf)
  return { gateway, client, download, days }
}

test('joins the days to one file with one header row, which is proved', async () => {
  const { download, days } = await startDays(sendDay)
  const saved = await download()
  expect(saved).toMatchObject({
    file,
    rows: ROWS,
    bytes: Buffer.byteLength(WHOLE),
    sha256: createHash('sha256').update(WHOLE).digest('hex'),
    proof: 'trailers',
    newestRow: '2026-10-31T22:10:59Z',
  })
  expect(await readFile(file, 'utf8')).toBe(WHOLE)
  expect(await readdir(folder)).toEqual(['may.csv'])
  expect(days().toSorted()).toEqual(Array.from({ length: 31 }, (_, index) => dayOf(index + 1)))
})

test('requests a few days at once, and reports the progress of all', async () => {
  let [running, most] = [0, 0]
  const { client } = await startDays((response, received) => {
    running += 1
    most = Math.max(most, running)
    response.once('close', () => (running -= 1))
    setTimeout(() => sendRows(response, received), 20)
  })
  const seen: number[] = []
  const onProgress = (bytes: number) => void seen.push(bytes)
  await client.download('transactions-list', MAY, file, { split: 'day', onProgress })
  expect(most).toBe(3)
  expect(seen.at(-1)).toBe(Buffer.byteLength(WHOLE) + 30 * Buffer.byteLength(HEADER))
})

test('keeps the days that arrived, and requests only the others again', async () => {
  let broken = dayOf(20)
  const { download, days } = await startDays((response, received) => {
    if (startOf(received) !== broken) return sendRows(response, received)
    beginReport(response)
    response.write(HEADER, () => response.destroy())
  })
  await expect(download()).rejects.toMatchObject({ code: 'truncated', reason: 'cut' })
  const [parts = ''] = await readdir(folder)
  expect(parts).toMatch(/^\.may\.csv\.[0-9a-f]{12}\.parts$/)
  const kept = (await readdir(join(folder, parts))).filter((name) => name.endsWith('.json'))
  expect(kept.length).toBeGreaterThan(15)
  broken = ''
  const before = days().length
  expect(await download()).toMatchObject({ rows: ROWS })
  expect(days().length - before).toBe(31 - kept.length)
  expect(await readFile(file, 'utf8')).toBe(WHOLE)
  expect(await readdir(folder)).toEqual(['may.csv'])
})

test('does not use the days of another request', async () => {
  let isBroken = true
  const { download } = await startDays((response, received) => {
    if (isBroken && startOf(received) === dayOf(20)) response.destroy()
    else sendRows(response, received)
  })
  await expect(download()).rejects.toMatchObject({ code: 'network-error' })
  isBroken = false
  await download({ ...MAY, columns: ['Id'] })
  expect((await readdir(folder)).toSorted()).toEqual([expect.stringMatching(/parts$/), 'may.csv'])
})

test('does not use the days of another login', async () => {
  let broken = dayOf(20)
  const handle: Handler = (response, received) => {
    const day = startOf(received)
    const rows = rowsOf(day).replaceAll(day, received.login)
    if (day === broken) response.destroy()
    else sendReport(response, HEADER + rows, { rows: String(Number(day.slice(8))) })
  }
  const { gateway, download } = await startDays(handle)
  await expect(download()).rejects.toMatchObject({ code: 'network-error' })
  broken = ''
  const other = connect(gateway, { login: BODY_LOGIN, signBody: true })
  await other.download('transactions-list', MAY, file, { split: 'day' })
  const expected = HEADER + ROWS_OF_MAY.replaceAll(/2026-05-\d\d/g, BODY_LOGIN)
  expect(await readFile(file, 'utf8')).toBe(expected)
})

test.each(['a link', 'a file', 'a folder of all users'])(
  'does not save days in %s',
  async (what) => {
    const { download, days } = await startDays((response, received) => {
      if (startOf(received) === dayOf(20)) response.destroy()
      else sendRows(response, received)
    })
    await expect(download()).rejects.toMatchObject({ code: 'network-error' })
    const [parts = ''] = await readdir(folder)
    const elsewhere = join(folder, 'elsewhere')
    await rename(join(folder, parts), elsewhere)
    if (what === 'a link') await symlink(elsewhere, join(folder, parts))
    else if (what === 'a file') await writeFile(join(folder, parts), '')
    else await rename(elsewhere, join(folder, parts))
    if (what === 'a folder of all users') await chmod(join(folder, parts), 0o777)
    const before = days().length
    await expect(download()).rejects.toMatchObject({ code: 'file-error' })
    expect(days()).toHaveLength(before)
  },
)

test('refuses a header row that does not end', async () => {
  const { client } = await startDays((response) => {
    sendReport(response, '"'.concat('x'.repeat(4 * 1024 * 1024)), { rows: '0' })
  })
  const day = { dateFrom: dayOf(1), dateTo: dayOf(2) }
  const saving = client.download('transactions-list', day, file, { split: 'day' })
  await expect(saving).rejects.toMatchObject({
    code: 'unexpected-body',
    message: expect.stringContaining('header row'),
  })
})

test('sees that a kept day has changed, and requests it again', async () => {
  let broken = dayOf(20)
  const { download, days } = await startDays((response, received) => {
    if (startOf(received) === broken) response.destroy()
    else sendRows(response, received)
  })
  await expect(download()).rejects.toMatchObject({ code: 'network-error' })
  broken = ''
  const [parts = ''] = await readdir(folder)
  const third = join(folder, parts, dayOf(3))
  await writeFile(third, (await readFile(third, 'utf8')).replace('"0"', '"9"'))
  await expect(download()).rejects.toMatchObject({ code: 'digest-mismatch' })
  expect(await readdir(folder)).toEqual([parts])
  expect(await download()).toMatchObject({ rows: ROWS })
  expect(await readFile(file, 'utf8')).toBe(WHOLE)
  expect(days().filter((day) => day === dayOf(3))).toHaveLength(2)
})

test('requests a kept day again if its file is missing or shorter', async () => {
  let broken = dayOf(20)
  const { download, days } = await startDays((response, received) => {
    if (startOf(received) === broken) response.destroy()
    else sendRows(response, received)
  })
  await expect(download()).rejects.toMatchObject({ code: 'network-error' })
  broken = ''
  const [parts = ''] = await readdir(folder)
  await rm(join(folder, parts, dayOf(3)))
  await writeFile(join(folder, parts, dayOf(4)), HEADER)
  expect(await download()).toMatchObject({ rows: ROWS })
  expect(await readFile(file, 'utf8')).toBe(WHOLE)
  expect(days().filter((day) => [dayOf(3), dayOf(4)].includes(day))).toHaveLength(4)
})

test('requests a kept day again if the day was not over when it was requested', async () => {
  let broken = dayOf(20)
  const { download, days } = await startDays((response, received) => {
    if (startOf(received) === broken) response.destroy()
    else sendRows(response, received)
  })
  const may = { ...MAY, timezone: 'Europe/Riga' }
  // In Riga, 3 May has ended, and 4 May ends in one second.
  vi.setSystemTime('2026-05-04T20:59:59Z')
  await expect(download(may)).rejects.toMatchObject({ code: 'network-error' })
  broken = ''
  const before = days().length
  vi.setSystemTime('2026-05-04T21:00:00Z')
  expect(await download(may)).toMatchObject({ rows: ROWS })
  const again = Array.from({ length: 28 }, (_, index) => dayOf(index + 4))
  // A request of the first attempt may arrive after its end.
  expect([...new Set(days().slice(before))].toSorted()).toEqual(again)
  expect(await readFile(file, 'utf8')).toBe(WHOLE)
})

test('requests a kept day again if it has no proof and the client requires one', async () => {
  const first = await startDays((response, received) => {
    response.removeHeader('Counterfoil-Request-Id')
    const day = startOf(received)
    if (day === dayOf(20)) response.destroy()
    else response.writeHead(200, { 'Content-Type': 'text/csv' }).end(HEADER + rowsOf(day))
  })
  await expect(first.download()).rejects.toMatchObject({ code: 'network-error' })
  const { download, days } = await startDays(sendDay, { requireProof: true })
  expect(await download()).toMatchObject({ rows: ROWS, proof: 'trailers' })
  expect(days()).toHaveLength(31)
})

test('joins no days with different header rows, and keeps the file that was there', async () => {
  await writeFile(file, 'before')
  const { download } = await startDays((response, received) => {
    sendRows(response, received, startOf(received) === dayOf(7) ? { header: '"Id","x"\r\n' } : {})
  })
  await expect(download(MAY, true)).rejects.toMatchObject({
    code: 'unexpected-body',
    message: expect.stringContaining('different header rows'),
  })
  expect(await readFile(file, 'utf8')).toBe('before')
})

test.each(['text/csv; header=absent', 'application/x-ndjson'])(
  'joins days without a header row: %s',
  async (contentType) => {
    const { download } = await startDays((response, received) => {
      sendRows(response, received, { contentType, header: '' })
    })
    expect(await download()).toMatchObject({ rows: ROWS, contentType })
    expect(await readFile(file, 'utf8')).toBe(ROWS_OF_MAY)
  },
)

test.each(['text/csv; charset=UTF-8', 'text/csv; header=absent', 'application/x-ndjson'])(
  'keeps rows apart if the last row of a day has no line end: %s',
  async (contentType) => {
    const header = contentType.includes('UTF-8') ? HEADER : ''
    const end = contentType.startsWith('text/csv') ? '\r\n' : '\n'
    const rowOf = (day: string) => `${day}${end}${day}`
    const { client } = await startDays((response, received) => {
      const day = startOf(received)
      // The first days have a header row only, without a line end too.
      if (day < dayOf(3)) sendReport(response, header.trimEnd(), { contentType, rows: '0' })
      else sendReport(response, header + rowOf(day), { contentType, rows: '2' })
    })
    const period = { dateFrom: dayOf(1), dateTo: dayOf(6) }
    const saved = await client.download('transactions-list', period, file, { split: 'day' })
    const whole = header + [3, 4, 5].map((number) => rowOf(dayOf(number))).join(end)
    expect(await readFile(file, 'utf8')).toBe(whole)
    expect(saved).toMatchObject({ rows: 6, bytes: Buffer.byteLength(whole) })
  },
)

test.each(['', HEADER])(
  'joins days with a byte order mark, which the file has once: %j',
  async (header) => {
    const contentType = `text/csv; charset=UTF-8${header === '' ? '; header=absent' : ''}`
    const { client } = await startDays((response, received) => {
      sendRows(response, received, { contentType, header: `\ufeff${header}` })
    })
    await client.download('transactions-list', MAY, file, { split: 'day' })
    expect(await readFile(file, 'utf8')).toBe(`\ufeff${header}${ROWS_OF_MAY}`)
  },
)

test.each([
  ['a report that is not a list', 'daily-totals', MAY, 'may.csv', /^split: daily-totals is not a/],
  ['no period', 'transactions-list', {}, 'may.csv', /^split: expected dateFrom/],
  ['a directory', 'transactions-list', MAY, { directory: '.' }, /^split: expected the path/],
  ['PDF', 'transactions-list', { ...MAY, format: 'pdf' }, 'may.pdf', /^split: cannot join pdf/],
  ['UTF-16', 'transactions-list', { ...MAY, encoding: 'utf-16le' }, 'may.csv', /^split: .+ UTF-8/],
])('refuses %s before it requests a day', async (_, identifier, options, target, message) => {
  const { client, days, gateway } = await startDays(sendDay)
  const saving = client.download(identifier, options, target, { split: 'day' })
  const fault = { code: 'invalid-settings', message: expect.stringMatching(message) }
  await expect(saving).rejects.toMatchObject(fault)
  expect(days()).toEqual([])
  // Only the catalogue says which reports are lists.
  expect(gateway.received).toHaveLength(identifier === 'daily-totals' ? 1 : 0)
})

test('refuses days that it cannot join', async () => {
  const { client } = await startDays((response, received) => {
    sendRows(response, received, { contentType: 'application/pdf' })
  })
  const saving = client.download('transactions-list', MAY, file, { split: 'day' })
  await expect(saving).rejects.toMatchObject({ code: 'invalid-settings' })
})

test('ends every request when it is aborted', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const closed: Promise<unknown>[] = []
  const { client, days } = await startDays((response, received) => {
    if (startOf(received) < dayOf(5)) return sendRows(response, received)
    // This day never ends by itself.
    beginReport(response)
    closed.push(once(response, 'close'))
    if (closed.length === 3) controller.abort(reason)
  })
  const options = { split: 'day', signal: controller.signal } as const
  await expect(client.download('transactions-list', MAY, file, options)).rejects.toBe(reason)
  expect(await Promise.all(closed)).toHaveLength(3)
  expect(days()).toHaveLength(7)
  expect(await readdir(folder)).toEqual([expect.stringMatching(/parts$/)])
})
