import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { GatewayError } from '../../../common/src/errors.ts'
import { askGateway, connectToGateway } from './control-client.ts'
import { type ControlSession, openControlSocket } from './control-server.ts'

let folder: string
let file: string
const failures: unknown[] = []
const ended: string[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'c-'))
  file = join(folder, 'control.sock')
  failures.length = 0
  ended.length = 0
})
afterEach(() => rmSync(folder, { recursive: true }))

const ECHO: ControlSession['commands'] = { echo: async (input) => ({ input }) }

/** Opens a socket whose sessions note their end. */
async function open(commands = ECHO) {
  const session = { commands, end: async () => void ended.push('session') }
  const close = await openControlSocket(
    file,
    () => session,
    (error) => void failures.push(error),
  )
  onTestFinished(close)
  return close
}

test('answers commands in their order, for its owner alone, and leaves nothing behind', async () => {
  folder = join(folder, 'data')
  file = join(folder, 'control.sock')
  const slow = async (input: unknown) => await sleep(Number(input), input)
  const close = await open({ ...ECHO, slow })
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder)).toEqual(['control.sock'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const connection = await connectToGateway(file)
  const ask = async (command: string, input: unknown) => await connection?.ask(command, input)
  const asked = [ask('slow', 50), ask('echo', ['é\u2028']), ask('slow', 1)]
  expect(await Promise.all(asked)).toEqual([50, { input: ['é\u2028'] }, 1])
  expect(ended).toEqual([])
  await connection?.close()
  expect(ended).toEqual(['session'])
  await close()
  expect(readdirSync(folder)).toEqual([])
  expect(await askGateway(file, 'echo')).toBeUndefined()
})

test.each([
  '\n',
  'reload\n',
  '{}\n',
  '{"version":1,"command":"echo"}\n',
  '{"version":3}\n',
  '{"version":3,"command":"stop"}\n',
])('refuses %j, and says what to do', async (line) => {
  await open()
  const socket = connect(file)
  await once(socket, 'connect')
  socket.end(line)
  expect(JSON.parse(await text(socket))).toEqual({
    kind: 'failed',
    code: 'control',
    message: 'The gateway does not understand this command. After an update, restart the gateway.',
  })
})

test('answers the error of a command, and hides the details of errors that are not its own', async () => {
  const faults = new GatewayError('template', 'a.yaml:1: x\nb.yaml:2: y', { cause: new Error('z') })
  await open({
    faulty: () => Promise.reject(faults),
    broken: () => Promise.reject(new Error('a secret')),
  })
  await expect(askGateway(file, 'faulty')).rejects.toEqual(faults)
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
  expect(await askGateway(file, 'echo')).toEqual({})
})

test('does not replace the socket of a gateway that listens', async () => {
  await open()
  await expect(open()).rejects.toMatchObject({
    code: 'control',
    message: `Another gateway listens on ${file}. Stop it first`,
  })
  expect(await askGateway(file, 'echo')).toEqual({})
})

test('takes the longest path of this system, and names the limit for a longer path', async () => {
  const max = process.platform === 'darwin' ? 103 : 107
  const deep = join(folder, 'x'.repeat(max - folder.length - '//control.sock'.length))
  mkdirSync(deep)
  file = join(deep, 'control.sock')
  expect(Buffer.byteLength(file)).toBe(max)
  await open()
  expect(await askGateway(file, 'echo')).toEqual({})

  file = join(`${deep}x`, 'control.sock')
  const message = `at most ${max} bytes here, and ${file} has ${max + 1}. Move dataDir to a shorter path`
  await expect(open()).rejects.toThrow(message)
  await expect(askGateway(file, 'echo')).rejects.toThrow(message)
})

test('ends the session of a caller that leaves while its command waits', async () => {
  let signal: AbortSignal | undefined
  const wait = async (): Promise<void> => {
    if (signal?.aborted === false) await once(signal, 'abort')
  }
  const end = async (): Promise<void> => void ended.push('session')
  const close = await openControlSocket(
    file,
    (leaving) => {
      signal = leaving
      return { commands: { wait }, end }
    },
    () => {},
  )
  onTestFinished(close)
  const caller = connect(file)
  caller.write('{"version":3,"command":"wait"}\n')
  await expect.poll(() => signal).toBeDefined()
  caller.destroy()
  await expect.poll(() => ended).toEqual(['session'])
})

test('waits for a running command when it closes, and not for a silent connection', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const close = await open({ wait: async () => await promise })
  const waiting = askGateway(file, 'wait')
  const silent = connect(file).resume()
  await once(silent, 'connect')
  await sleep(50)
  const closed = close()
  await once(silent, 'close')
  resolve('done')
  expect(await waiting).toBe('done')
  await closed
  expect(existsSync(file)).toBe(false)
})
