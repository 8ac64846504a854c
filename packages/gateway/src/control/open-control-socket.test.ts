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
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { LIMITS } from '../../../common/src/limits.ts'
import { askGateway, startCommand } from './ask-gateway.ts'
import {
  type CommandRun,
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
  folder = join(folder, 'data')
  file = join(folder, 'control.sock')
  const socket = await open()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder)).toEqual(['control.sock'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await askGateway(file, 'echo', [1])).toEqual({ result: { input: [1] } })
  await socket.close()
  expect(readdirSync(folder)).toEqual([])
  expect(await askGateway(file, 'echo')).toBeUndefined()
})

test.each(['\n', 'reload\n', '{}\n', '{"version":1,"command":"echo"}\n', '{"version":2}\n'])(
  'refuses %j and says what it expects',
  async (line) => {
    await open()
    expect(await send(line)).toEqual({
      version: 2,
      kind: 'failed',
      faults: [expect.stringContaining('{"version":2,"command":"reload"}')],
    })
  },
)

test('closes a connection that sends no line in time', { tags: ['long'] }, async () => {
  await open()
  const silent = connect(file)
  const closed = once(silent.resume(), 'close')
  await once(silent, 'connect')
  const dripping = setInterval(() => void silent.write(' '), 500)
  await closed
  clearInterval(dripping)
  expect(await askGateway(file, 'echo')).toEqual({ result: {} })
})

test('limits running commands', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  await open(new Map([['wait', async () => await promise]]))
  const ask = async () => await askGateway(file, 'wait')
  const running = Array.from({ length: LIMITS.controlConnectionsMax }, ask)
  await sleep(100)
  await expect(ask()).rejects.toMatchObject({ code: 'control' })
  resolve('done')
  expect(await Promise.all(running)).toEqual(running.map(() => ({ result: 'done' })))
})

test('refuses an unknown command with the list of its commands', async () => {
  await open()
  const message = 'Unknown command. Expected one of echo'
  await expect(askGateway(file, 'stop')).rejects.toMatchObject({ code: 'control', message })
})

test('answers the faults of a command line by line, and hides the details of other errors', async () => {
  await open(
    new Map([
      ['faulty', () => Promise.reject(new GatewayError('template', 'a.yaml:1: x\nb.yaml:2: y'))],
      ['broken', () => Promise.reject(new Error('a secret'))],
    ]),
  )
  await expect(askGateway(file, 'faulty')).rejects.toThrow('a.yaml:1: x\nb.yaml:2: y')
  expect(failures).toEqual([])
  await expect(askGateway(file, 'broken')).rejects.toThrow(
    /^The gateway failed. Its log has the details$/,
  )
  expect(failures).toEqual([new Error('a secret')])
})

test('replaces a socket that a killed process left behind', async () => {
  const script = `require('net').createServer().listen(${JSON.stringify(file)},
    () => process.kill(process.pid, 'SIGKILL'))`
  expect(spawnSync(process.execPath, ['-e', script]).signal).toBe('SIGKILL')
  expect(existsSync(file)).toBe(true)
  expect(await askGateway(file, 'echo')).toBeUndefined()
  await open()
  expect(await askGateway(file, 'echo')).toEqual({ result: {} })
})

test('does not replace the socket of a gateway that listens', async () => {
  await open()
  await expect(open()).rejects.toMatchObject({
    code: 'control',
    message: `Another gateway listens on ${file}. Stop it first`,
  })
  expect(await askGateway(file, 'echo')).toEqual({ result: {} })
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
  expect(await askGateway(file, 'echo')).toEqual({ result: {} })
  await socket.close()

  mkdirSync(`${deep}x`)
  file = join(`${deep}x`, 'control.sock')
  const message = `at most ${max} bytes here, and ${file} has ${max + 1}. Move dataDir to a shorter path`
  await expect(open()).rejects.toThrow(message)
  await expect(askGateway(file, 'echo')).rejects.toThrow(message)
})

test('exchanges messages with a command, which learns that its caller has left', async () => {
  let isOver = false
  const double = async (_: unknown, run: CommandRun) => {
    isOver = false
    for await (const message of run.messages) run.send(Number(message) * 2)
    isOver = true
    return 'done'
  }
  await open(new Map([['double', double]]))
  const running = await startCommand(file, 'double')
  for (const number of [1, 21]) {
    running?.send(number)
    expect(await running?.messages.next()).toEqual({ done: false, value: 2 * number })
  }
  running?.end()
  expect(await running?.messages.next()).toEqual({ done: true, value: 'done' })

  const left = await startCommand(file, 'double')
  left?.send(1)
  await left?.messages.next()
  expect(isOver).toBe(false)
  left?.leave()
  await expect.poll(() => isOver).toBe(true)
})

test.each(['before', 'after'])('closes after a caller that left %s its answer', async (when) => {
  const leaving = Promise.withResolvers<void>()
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const slow = async (_: unknown, run: CommandRun) => {
    if (when === 'before') run.send('unread')
    leaving.resolve()
    await mayEnd
    run.send('too late')
  }
  const socket = await open(new Map([['slow', slow]]))
  const caller = connect(file)
  caller.on('error', () => {})
  caller.write('{"version":2,"command":"slow"}\n')
  await leaving.promise
  caller.destroy()
  // Node learns that the caller has left.
  await sleep(100)
  end()
  await socket.close()
  expect(existsSync(file)).toBe(false)
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
