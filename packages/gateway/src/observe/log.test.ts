import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { createLog, type Log, type LogLevel, openLogDestination } from './log.ts'
import type { RequestSummary } from './request-summary.ts'

const LINE: RequestSummary = {
  requestId: 'r-1',
  method: 'POST',
  path: '/ui/services/v2/rpt-engine',
  status: 200,
  outcome: 'report',
  login: 'shop-1',
  report: 'transactions-list',
  rows: 12,
  bytes: 3456,
  firstByteMs: 7.5,
  durationMs: 9.25,
}

/** Returns the text that a log writes. */
function logText(say: (log: Log) => void, level: LogLevel = 'debug'): string {
  const lines: string[] = []
  say(createLog({ level, destination: { write: (line) => lines.push(line) } }))
  return lines.join('')
}

const errorIn = (text: string) => JSON.parse(text).error
const ARABIC = '\u{664}'.concat('\u{661}'.repeat(15))

test('logs a request as one line of JSON with its fields, level and time', () => {
  const line = logText((log) => log.request(LINE))
  expect(line.split('\n')).toHaveLength(2)
  const { time, ...fields } = JSON.parse(line)
  expect(new Date(time).toISOString()).toBe(time)
  expect(fields).toEqual({ level: 'info', ...LINE, msg: 'request' })
})

test('keeps a line short and unbroken, whatever the caller names', () => {
  const login = 'x'.repeat(5000)
  const line = logText((log) => log.request({ ...LINE, login, report: 'a\n{"level":"error"}' }))
  expect(line.length).toBeLessThan(2_000)
  expect(line.split('\n')).toHaveLength(2)
  expect(JSON.parse(line).report).toBe('a\n{"level":"error"}')
})

test('truncates a long path, and drops the digits at the end', () => {
  for (const digit of ['4', '%34', '%2534.', '\u0664']) {
    for (const before of [260, 275, 290]) {
      const path = `/${'x'.repeat(before)}${digit.repeat(3_000)}`
      const line = logText((log) => log.request({ ...LINE, path, login: path }))
      const { path: shown, login } = JSON.parse(line)
      for (const text of [shown, login]) expect(text).toMatch(/^\/x{180,290}…$/)
    }
  }
})

test('logs code and message of a GatewayError and of its causes, and where any other error was thrown', () => {
  const cause = Object.assign(new TypeError('disk\nfull'), { code: 'ENOSPC' })
  const error = new GatewayError('store', 'the store failed', { cause })
  const line = logText((log) => log.error('a request failed', error))
  expect(JSON.parse(line)).toMatchObject({ level: 'error', msg: 'a request failed' })
  expect(errorIn(line)).toEqual({
    name: 'GatewayError',
    code: 'store',
    message: 'the store failed',
    cause: {
      name: 'TypeError',
      code: 'ENOSPC',
      message: 'disk\nfull',
      at: expect.arrayContaining([expect.stringContaining('log.test.ts')]),
    },
  })
})

test('logs no secret in the properties of an error, and no card number of any script or grouping', () => {
  const message = 'cannot parse 4111111111111111 or 4111 1111 1111 1111 or 4111-1111-1111-1111 or 7'
  const error = Object.assign(new Error(message), {
    config: { headers: { Authorization: 'OAuth SECRET' } },
    body: Buffer.from('SECRET'),
    cause: { secret: 'SECRET' },
  })
  const line = logText((log) => {
    log.error('failed', error)
    log.error('failed', new GatewayError('engine-failed', 'at 4111111111111111'))
    log.error('failed', new Error(`at ${ARABIC} and ${ARABIC.slice(0, 12)}`))
    log.request({ ...LINE, path: '/cards/4111111111111111' })
    log.request({ ...LINE, login: ARABIC, path: '/4111.1111.1111.1111' })
    log.request({ ...LINE, traceId: '4111111111111111'.padEnd(32, '0') })
    log.error('failed', 'SECRET')
    log.error('failed', { message: 'SECRET' })
  })
  expect(line).not.toMatch(/SECRET|4111|\u0661/)
  expect(line).toContain('or 7"')
})

test('logs no value that a message of the engine quotes', () => {
  const message = `Code: 6. DB::Exception: Cannot parse string 'a\\'b@shop.example' as Int64: In scope SELECT email = 'it''s SECRET' AND x = 'SECRET \\'`
  const line = logText((log) => log.error('failed', new Error(message)))
  expect(line).toContain('Code: 6. DB::Exception: Cannot parse string')
  expect(line).toContain('In scope SELECT email =')
  expect(line).not.toMatch(/SECRET|shop\.example/)
})

const PAN = '4111111111111111'

test.each([
  '/pay/4111%201111%201111%201111',
  '/pay/4111%2E1111%2E1111%2E1111',
  '/transfer/41111111%2011111111',
  ...[encoded(PAN, 0x30), encoded(PAN, 0xff10)].flatMap((digits) => {
    return [`/pay/${digits}`, `/pay/${digits.replaceAll('%', '%25')}`]
  }),
  '/%zz/%FF/4111%201111%201111%201111/%E2%82',
])('logs no card number that a path encodes: %s', (path) => {
  const { path: logged } = JSON.parse(logText((log) => log.request({ ...LINE, path })))
  expect(logged).toHaveLength(path.length)
  expect(logged).not.toMatch(/1|4|%3|%EF%BC/i)
})

test.each(['/a%20b/4111%201111', '/%D0%BE/20261122', '/%', '/%zz4111%', '/%2541'])(
  'logs a path that encodes no card number unchanged: %s',
  (path) => {
    const { path: logged } = JSON.parse(logText((log) => log.request({ ...LINE, path })))
    expect(logged).toBe(path)
  },
)

/** Percent-encodes digits of a script, whose zero is the character `zero`. */
function encoded(digits: string, zero: number): string {
  const bytes = Buffer.from(
    Array.from(digits, (digit) => String.fromCodePoint(zero + Number(digit))).join(''),
  )
  return bytes.toString('hex').replaceAll(/../g, '%$&')
}

// This device is always full.
const FULL = '/dev/full'

test.skipIf(!existsSync(FULL))(
  'reports once that the log cannot be written, and throws nothing',
  () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    const log = createLog({ level: 'info', destination: openLogDestination(FULL) })
    for (let times = 0; times < 3; times += 1) log.request(LINE)
    expect(error.mock.calls).toEqual([
      [expect.stringMatching(/^The log cannot be written: ENOSPC/)],
    ])
    error.mockRestore()
  },
)

test('creates a log file that only its owner can read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const file = join(folder, 'gateway.log')
  createLog({ level: 'info', destination: openLogDestination(file) }).info('here')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain('here')
  rmSync(folder, { recursive: true })
})
