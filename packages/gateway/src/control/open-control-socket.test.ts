import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { askGateway } from './ask-gateway.ts'
import {
  type ControlCommands,
  type ControlSocket,
  openControlSocket,
} from './open-control-socket.ts'

let folder: string
let file: string
const failures: unknown[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'c-'))
  file = join(folder, 'control.sock')
  failures.length = 0
})
afterEach(() => rmSync(folder, { recursive: true }))

const ECHO: ControlCommands = new Map([['echo', async (input: unknown) => ({ input })]])

async function open(commands: ControlCommands = ECHO): Promise<ControlSocket> {
  const socket = await openControlSocket(file, commands, (error) => void failures.push(error))
  onTestFinished(() => socket.close())
  return socket
}

/** Sends a raw text, and returns the parsed answer. */
async function send(line: string): Promise<unknown> {
  const socket = connect(file)
  await once(socket, 'connect')
  socket.end(line)
  return JSON.parse(await text(socket))
}

test('answers a command, for its owner alone, and leaves nothing behind', async () => {
  const socket = await open()
  expect(readdirSync(folder)).toEqual(['control.sock'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await askGateway(file, 'echo', [1])).toEqual({
    version: 1,
    ok: true,
    result: { input: [1] },
  })
  await socket.close()
  expect(readdirSync(folder)).toEqual([])
  expect(await askGateway(file, 'echo')).toBeUndefined()
})

test.each(['\n', 'reload\n', '{}\n', '{"version":2,"command":"echo"}\n', '{"version":1}\n'])(
  'refuses %j and says what it expects',
  async (line) => {
    await open()
    expect(await send(line)).toEqual({
      version: 1,
      ok: false,
      faults: [expect.stringContaining('{"version":1,"command":"reload"}')],
    })
  },
)

test('refuses a line that is too long, and goes on', async () => {
  await open()
  await expect(send('x'.repeat(LIMITS.controlLineBytesMax + 1))).rejects.toThrow(/JSON|EPIPE|RESET/)
  expect(await askGateway(file, 'echo')).toMatchObject({ ok: true })
})

test('limits open connections, and ends a connection that sends no line in time', async () => {
  await open()
  const silent = Array.from({ length: LIMITS.controlConnectionsMax }, () => connect(file))
  const closed = Promise.all(silent.map((socket) => once(socket.resume(), 'close')))
  await Promise.all(silent.map((socket) => once(socket, 'connect')))
  await expect(askGateway(file, 'echo')).rejects.toMatchObject({ code: 'control' })
  const dripping = setInterval(() => silent.forEach((socket) => void socket.write(' ')), 500)
  await closed
  clearInterval(dripping)
  expect(await askGateway(file, 'echo')).toMatchObject({ ok: true })
})

test('refuses an unknown command with the list of its commands', async () => {
  await open()
  const faults = ['Unknown command. Expected one of echo']
  expect(await askGateway(file, 'stop')).toEqual({ version: 1, ok: false, faults })
})

test('answers the faults of a command line by line, and hides the details of other errors', async () => {
  await open(
    new Map([
      ['faulty', () => Promise.reject(new GatewayError('template', 'a.yaml:1: x\nb.yaml:2: y'))],
      ['broken', () => Promise.reject(new Error('a secret'))],
    ]),
  )
  expect(await askGateway(file, 'faulty')).toMatchObject({ faults: ['a.yaml:1: x', 'b.yaml:2: y'] })
  expect(failures).toEqual([])
  const hidden = { ok: false, faults: ['The gateway failed. Its log has the details'] }
  expect(await askGateway(file, 'broken')).toMatchObject(hidden)
  expect(failures).toEqual([new Error('a secret')])
})

test('replaces a socket that a killed process left behind', async () => {
  const script = `require('net').createServer().listen(${JSON.stringify(file)},
    () => process.kill(process.pid, 'SIGKILL'))`
  expect(spawnSync(process.execPath, ['-e', script]).signal).toBe('SIGKILL')
  expect(existsSync(file)).toBe(true)
  expect(await askGateway(file, 'echo')).toBeUndefined()
  await open()
  expect(await askGateway(file, 'echo')).toMatchObject({ ok: true })
})

test('does not replace the socket of a gateway that listens', async () => {
  await open()
  await expect(open()).rejects.toMatchObject({
    code: 'control',
    message: `Another gateway listens on ${file}. Stop it first`,
  })
  expect(await askGateway(file, 'echo')).toMatchObject({ ok: true })
})

test('does not replace a file that is not a socket', async () => {
  writeFileSync(file, 'mine')
  await expect(open()).rejects.toThrow(`${file} is not a socket. Move it away`)
  await expect(askGateway(file, 'echo')).rejects.toThrow('is not a socket')
})

test('leaves the socket of another process in place when it closes', async () => {
  const socket = await open()
  rmSync(file)
  const other = createServer().listen(file)
  await once(other, 'listening')
  await socket.close()
  expect(existsSync(file)).toBe(true)
  other.close()
})

test('takes the longest path of this system, and names the limit for a longer path', async () => {
  const max = process.platform === 'darwin' ? 103 : 107
  const deep = join(folder, 'x'.repeat(max - folder.length - '//control.sock'.length))
  mkdirSync(deep)
  file = join(deep, 'control.sock')
  expect(Buffer.byteLength(file)).toBe(max)
  const socket = await open()
  expect(await askGateway(file, 'echo')).toMatchObject({ ok: true })
  await socket.close()

  mkdirSync(`${deep}x`)
  file = join(`${deep}x`, 'control.sock')
  const message = `at most ${max} bytes here, and ${file} has ${max + 1}. Move dataDir to a shorter path`
  await expect(open()).rejects.toThrow(message)
  await expect(askGateway(file, 'echo')).rejects.toThrow(message)
})

test('does not wait for a silent connection when it closes', async () => {
  const socket = await open()
  const silent = connect(file)
  await once(silent, 'connect')
  let isClosed = false
  silent.once('close', () => (isClosed = true))
  silent.resume()
  await socket.close()
  await expect.poll(() => isClosed).toBe(true)
})
