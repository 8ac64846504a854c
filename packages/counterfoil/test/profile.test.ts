import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { profileFolder } from '../src/connection/profile.ts'
import {
  CONTROL_KEY,
  ENCRYPTED_PRIVATE_KEY,
  type FixtureGateway,
  LOGIN,
  PASSPHRASE,
  RSA_LOGIN,
  sendReport,
  startGateway,
} from '../../client/test/fixture-gateway.ts'
import { folder, run, useFolder } from './fixture.ts'
import type { Ended } from './run-command.ts'

useFolder()
let profiles = ''
beforeEach(async () => {
  profiles = join(folder, 'counterfoil')
  await mkdir(profiles)
})

/** Writes a profile of the fixture's merchant, with changes. */
async function writeProfile(endpoint: string, change = {}, name = 'default'): Promise<string> {
  const file = join(profiles, `${name}.json`)
  const content = { endpoint, login: LOGIN, controlKey: CONTROL_KEY, ...change }
  await writeFile(file, JSON.stringify(content), { mode: 0o600 })
  return file
}

async function start(): Promise<FixtureGateway> {
  return await startGateway((response) => sendReport(response))
}

async function report(options: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return await run(['report', 'x', '--overwrite', ...options], { env })
}

test('takes another profile by option or variable, and every other setting of a profile', async () => {
  const gateway = await start()
  await writeProfile('http://127.0.0.1:1/')
  await writeFile(join(folder, 'key.pem'), ENCRYPTED_PRIVATE_KEY)
  const key = { privateKeyFile: join(folder, 'key.pem'), passphrase: PASSPHRASE }
  const change = { login: RSA_LOGIN, controlKey: undefined, ...key, signBody: true }
  await writeProfile(gateway.endpoint, change, 'rsa')
  expect(await report(['--profile', 'rsa'])).toMatchObject({ code: 0 })
  expect(await report([], { COUNTERFOIL_PROFILE: 'rsa' })).toMatchObject({ code: 0 })
  expect(gateway.received.map(({ login }) => login)).toEqual([RSA_LOGIN, RSA_LOGIN])
  expect(gateway.received[0]?.headers.authorization).toContain('oauth_body_hash')
})

test('prefers the option to the variable, and the variable to the profile', async () => {
  const gateway = await start()
  await writeProfile('http://127.0.0.1:1/', { controlKey: 'wrong' })
  const env = { COUNTERFOIL_ENDPOINT: gateway.endpoint, COUNTERFOIL_CONTROL_KEY: CONTROL_KEY }
  expect(await report([], env)).toMatchObject({ code: 0 })
  await writeFile(join(folder, 'wrong.txt'), 'wrong')
  expect(await report(['--control-key-file', 'wrong.txt'], env)).toMatchObject({ code: 3 })
  const lost = { ...env, COUNTERFOIL_ENDPOINT: 'http://127.0.0.1:1/' }
  expect(await report([], lost)).toMatchObject({ code: 5 })
  expect(await report(['--endpoint', gateway.endpoint], lost)).toMatchObject({ code: 0 })
})

test('never signs with the key of a profile for another login', async () => {
  const gateway = await start()
  await writeProfile(gateway.endpoint)
  const ended = await report(['--login', 'other'])
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('missing a key') })
  expect(gateway.received).toEqual([])
})

test.skipIf(process.platform === 'win32')(
  'refuses a profile that others may read, with the command that mends it',
  async () => {
    const gateway = await start()
    const file = await writeProfile(gateway.endpoint)
    await chmod(file, 0o640)
    const { code, stderr } = await report([])
    expect(code).toBe(2)
    expect(stderr).toContain(`Run: chmod 600 ${file}\n`)
    expect(stderr).not.toContain(CONTROL_KEY)
    expect(gateway.received).toEqual([])
  },
)

test.each([
  ['no JSON', `{"controlKey":"${CONTROL_KEY}"`, 'is malformed: it is not readable JSON'],
  ['no object', '"x"', 'is malformed: expected an object'],
  ['an unknown member', '{"endpiont":"x"}', 'is malformed: unknown member endpiont'],
  ['a wrong type', '{"endpoint":1}', 'is malformed: expected a string for endpoint'],
])('refuses a profile with %s', async (_, content, message) => {
  await writeFile(join(profiles, 'default.json'), content, { mode: 0o600 })
  const { code, stderr } = await report([])
  expect(code).toBe(2)
  expect(stderr).toContain(message)
  expect(stderr).not.toContain(CONTROL_KEY)
})

test.each([
  [
    ['--profile', 'other'],
    'there is no profile other. To write it, run: counterfoil init --overwrite',
  ],
  [['--profile', '../shop'], '--profile: expected letters, digits, - and _'],
  [
    [],
    'missing --endpoint (or COUNTERFOIL_ENDPOINT), --login (or COUNTERFOIL_LOGIN). To write your settings to a profile, run: counterfoil init',
  ],
])('refuses %j where there is no profile', async (options, message) => {
  const { code, stderr } = await report(options)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
})

test('keeps profiles where each system keeps settings', () => {
  const home = { HOME: '/home/ann' }
  expect(profileFolder(home, 'linux')).toBe('/home/ann/.config/counterfoil')
  expect(profileFolder({ ...home, XDG_CONFIG_HOME: '/conf' }, 'linux')).toBe('/conf/counterfoil')
  expect(profileFolder({ ...home, XDG_CONFIG_HOME: 'conf' }, 'darwin')).toBe(
    '/home/ann/.config/counterfoil',
  )
  expect(profileFolder({ ...home, APPDATA: '/roaming' }, 'win32')).toBe('/roaming/counterfoil')
})
