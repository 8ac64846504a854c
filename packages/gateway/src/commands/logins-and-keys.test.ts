import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { openSqliteStore } from '../../../store/src/store/open-store.ts'
import { type Ended, runHere } from '../../test/kit/run-here.ts'

let folder: string
let config: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  config = join(folder, 'gateway.yaml')
  writeFileSync(join(folder, 'master.key'), randomBytes(32).toString('base64'), { mode: 0o600 })
  writeConfig()
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('logins', () => {
  test('can be added, and listed for people and for programs', async () => {
    const added = await run('logins add shop --role merchant --sees', '17, "a,b ""c""",17')
    expect(added).toMatchObject({ code: 0, stdout: '' })
    expect(added.stderr).toContain('Added shop. The login sees merchants 17, "a,b ""c""".')
    const boss = 'boss --role operator --require-body-hash --timezone Europe/Riga'
    expect(await run(`logins add ${boss}`)).toMatchObject({ code: 0 })

    const listed = await run('logins', 'list')
    const [titles, ...rows] = listed.stdout.trim().split('\n')
    expect(titles).toMatch(/^LOGIN +ROLE +SEES +BODY HASH +TIME ZONE +ADDED +LAST USED$/)
    expect(rows[0]).toMatch(/^boss +operator +everything +required +Europe\/Riga +20\d\d-/)
    expect(rows[1]).toMatch(/^shop +merchant +merchants 17, "a,b ""c""" +- +- +20\d\d-/)

    const { stdout } = await run('logins', 'list', '--json')
    expect(JSON.parse(stdout)).toMatchObject([
      {
        login: 'boss',
        role: 'operator',
        sees: [],
        bodyHashRequired: true,
        timezone: 'Europe/Riga',
      },
      { login: 'shop', role: 'merchant', sees: ['17', 'a,b "c"'], bodyHashRequired: false },
    ])
  })

  test('cannot have the same name', async () => {
    await run('logins', 'add', 'boss', '--role', 'operator')
    const expected =
      'error: The login boss already exists, or was removed: its name is not used again'
    expect(await run('logins', 'add', 'boss', '--role', 'operator')).toEqual(refused(1, expected))
  })

  test.each([
    [['--role', 'merchant'], 'missing --sees'],
    [['--role', 'operator', '--sees', '1'], 'Leave out --sees'],
    [['--role', 'operator', '--timezone', 'Mars/Olympus'], 'Expected an IANA time zone'],
    [['--role', 'king'], 'Allowed choices are operator, manager, reseller, merchant'],
    [['--sees', '1'], "required option '--role <role>' not specified"],
    [['--role', 'merchant', '--sees', '1,,2'], 'Expected ids such as 17,18'],
    [['--role', 'merchant', '--sees', '1,"a'], 'Expected ids'],
    [['--role', 'merchant', '--sees', 'x'.repeat(129)], 'Expected ids'],
    [['--role', 'operator', '--rights', 'all'], "unknown option '--rights'"],
  ])('with the options %j are a wrong command line', async (options, expected) => {
    expect(await run('logins', 'add', 'shop', ...options)).toEqual(refused(2, expected))
  })

  test('cannot have a name that no header can carry', async () => {
    for (const login of ['', 'two words', 'é', 'x'.repeat(129)]) {
      expect(await run('logins', 'add', login, '--role', 'operator')).toEqual(
        refused(2, 'Expected'),
      )
    }
  })
})

describe('a login', () => {
  beforeEach(() => run('logins add shop --role merchant --sees 17'))

  test('can be changed, but not so that it would see nothing', async () => {
    const changed = await run('logins change shop --sees 18,19 --require-body-hash')
    expect(changed).toMatchObject({ code: 0 })
    expect(changed.stderr).toContain('Changed shop. The login sees merchants 18, 19.')
    const listed = async () => (await run('logins list')).stdout
    expect(await listed()).toMatch(/shop +merchant +merchants 18, 19 +required/)
    const zone = await run('logins change shop --timezone Asia/Tokyo')
    expect(zone.stderr).toContain('The login sees merchants 18, 19. Its time zone is Asia/Tokyo.')
    await run('logins change shop --role operator --no-require-body-hash')
    expect(await listed()).toMatch(/shop +operator +everything +- /)
    for (const [args, expected] of [
      ['shop', 'nothing to change'],
      ['shop --role manager', "missing --sees with the ids of the login's managers"],
      ['shop --sees 1', 'an operator sees everything'],
    ] as const) {
      expect(await run(`logins change ${args}`)).toEqual(refused(2, expected))
    }
    expect(await run('logins change nobody --role operator')).toEqual(
      refused(1, 'There is no login nobody'),
    )
  })

  test('can be removed for good', async () => {
    expect(await run('logins remove shop')).toMatchObject({ code: 0, stderr: 'Removed shop.\n' })
    expect((await run('logins list')).stdout).not.toContain('shop')
    expect((await run('logins remove shop')).stderr).toContain('There is no login shop')
    const again = await run('logins add shop --role merchant --sees 17')
    expect(again.stderr).toContain('its name is not used again')
  })
})

describe('keys', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
  const spki = rsa.export({ type: 'spki', format: 'der' })
  const rsaFingerprint = `SHA256:${createHash('sha256').update(spki).digest('base64')}`
  let publicKeyFile: string

  beforeEach(async () => {
    publicKeyFile = join(folder, 'public.pem')
    writeFileSync(publicKeyFile, rsa.export({ type: 'spki', format: 'pem' }))
    await run('logins add shop --role merchant --sees 17')
  })

  test('are printed once on stdout when made, and stored only encrypted', async () => {
    const added = await run('keys', 'add', 'shop')
    expect(added.code).toBe(0)
    expect(added.stdout).toMatch(/^[\w-]{40}\n$/)
    const controlKey = added.stdout.trim()
    expect(added.stderr).not.toContain(controlKey)
    expect(added.stderr).toContain('Nobody can see it again.')

    const fingerprint = `SHA256:${createHash('sha256').update(controlKey).digest('base64')}`
    const { stdout } = await run('keys', 'list')
    expect(stdout).toContain(fingerprint)
    expect(stdout).not.toContain(controlKey)
    expect(readFileSync(join(folder, 'data/store.sqlite')).includes(controlKey)).toBe(false)
  })

  test('can be rotated while a gateway has the store open, which sees the change at once', async () => {
    const gateway = openStore()
    await run('keys', 'add', 'shop')
    const [old] = (await gateway.findLogin('shop'))?.keys ?? []

    const second = await run('keys', 'add', 'shop', '--public-key', publicKeyFile)
    expect(second.stderr).toContain(`(RSA-SHA256, ${rsaFingerprint}) to shop`)
    expect((await gateway.findLogin('shop'))?.keys).toHaveLength(2)
    expect(await run('keys', 'add', 'shop')).toMatchObject({ code: 0 })
    expect(await run('keys add shop')).toEqual(
      refused(1, 'error: shop has 2 active keys for HMAC-SHA1'),
    )

    const revoked = await run('keys', 'revoke', old?.keyId ?? '')
    expect(revoked).toMatchObject({ code: 0, stdout: '' })
    const live = (await gateway.findLogin('shop'))?.keys
    expect(live?.map(({ method }) => method)).toEqual(['RSA-SHA256', 'HMAC-SHA1'])
    expect(await run('keys', 'revoke', old?.keyId ?? '')).toMatchObject({ code: 1 })

    const rows = (await run('keys', 'list', 'shop')).stdout.trim().split('\n').slice(1)
    expect(rows[0]).toMatch(/^\w+ +shop +HMAC-SHA1 +SHA256:\S+ +20\S+ +- +20\S+$/)
    expect(rows[1]).toMatch(/^\w+ +shop +RSA-SHA256 +SHA256:\S+ +20\S+ +- +-$/)
    await gateway.close()
  })

  test('show the time of their last use, as their login does', async () => {
    await run('keys', 'add', 'shop')
    const gateway = openStore()
    const [key] = await gateway.listKeys('shop')
    await gateway.noteKeyUse(key?.keyId ?? '', new Date('2026-05-01T12:00:00Z'))
    await gateway.close()
    for (const group of ['keys', 'logins']) {
      const { stdout } = await run(group, 'list')
      expect(stdout).toMatch(/LAST USED[^]* 2026-05-01T12:00:00\.000Z/)
    }
  })

  test('can be read from a file, and are not printed then', async () => {
    const file = join(folder, 'control.key')
    writeFileSync(file, 'AN+OLD/KEY=0123456\n')
    const added = await run('keys', 'add', 'shop', '--control-key-file', file)
    expect(added).toMatchObject({ code: 0, stdout: '' })
    expect(added.stderr).not.toContain('OLD')

    writeFileSync(file, 'TOO-SHORT')
    const expected = 'expected a control key of 16 to 512 visible ASCII'
    const ended = await run('keys add shop --control-key-file', file)
    expect(ended).toEqual(refused(1, expected))
    expect(ended.stderr).not.toContain('SHORT')
  })

  test('of the other environment are refused by their fingerprints', async () => {
    writeConfig({ otherEnvironment: { keyFingerprints: [rsaFingerprint] } })
    const expected = 'The other environment uses the key'
    expect(await run('keys add shop --public-key', publicKeyFile)).toEqual(refused(1, expected))
  })

  test('that cannot be used are refused, with the reason', async () => {
    const add = 'keys add shop --public-key'
    const absent = join(folder, 'none.pem')
    expect(await run(add, absent)).toEqual(
      refused(1, 'none.pem: ENOENT: no such file or directory'),
    )
    expect(await run(add, config)).toEqual(refused(1, 'expected a PEM text'))
    const both = [publicKeyFile, '--control-key-file', publicKeyFile]
    expect(await run(add, ...both)).toEqual(
      refused(2, 'expected either --public-key or --control-key-file'),
    )
    writeFileSync(publicKeyFile, ' '.repeat(70_000))
    expect(await run(add, publicKeyFile)).toEqual(refused(1, 'it has more than 64 KiB'))
    expect(await run('keys add nobody')).toEqual(
      refused(1, 'error: There is no login nobody. "logins list"'),
    )
  })

  test('are listed for programs without their secrets', async () => {
    await run('keys', 'add', 'shop')
    const { code, stdout } = await run('keys', 'list', '--json')
    expect(code).toBe(0)
    const anyText = expect.any(String)
    const key = { keyId: anyText, login: 'shop', method: 'HMAC-SHA1' }
    expect(JSON.parse(stdout)).toEqual([{ ...key, fingerprint: anyText, createdAt: anyText }])
  })

  test('are made with a master key that a group of the gateway can read, not with one that others can', async () => {
    chmodSync(join(folder, 'master.key'), 0o640)
    expect(await run('keys', 'add', 'shop')).toMatchObject({ code: 0 })
    chmodSync(join(folder, 'master.key'), 0o644)
    expect(await run('keys add shop')).toEqual(refused(1, 'chmod 600'))
  })
})

test.each([[['logins', 'list']], [['keys', 'list']], [['keys', 'add', 'shop']]])(
  '%j creates no folder if there is no store',
  async (args) => {
    writeConfig({ dataDir: 'mistyped' })
    const dataDir = join(folder, 'mistyped')
    const advice = `Check dataDir in ${config}. "logins add" creates the store`
    expect(await run(...args)).toEqual(refused(1, `error: ${dataDir} holds no store. ${advice}\n`))
    expect(existsSync(dataDir)).toBe(false)
  },
)

test('a faulty configuration fails with its file and line, and without a stack', async () => {
  writeFileSync(config, 'environment: beach\n')
  const { code, stderr } = await run('logins', 'list')
  expect(code).toBe(1)
  expect(stderr).toContain(`${config}:1: environment: expected one of "sandbox"|"production"`)
  expect(stderr).not.toContain(' at ')
})

function writeConfig(change: object = {}): void {
  const settings = {
    environment: 'sandbox',
    publicUrl: 'http://127.0.0.1:8080',
    reportPath: '/ui/services/v2/rpt-engine',
    dataDir: 'data',
    reports: 'reports',
    masterKeys: [{ version: 1, file: 'master.key' }],
    ...change,
  }
  writeFileSync(config, stringify(settings))
}

function openStore() {
  return openSqliteStore(join(folder, 'data/store.sqlite'))
}

/** Runs a command in this process, with the test's configuration. */
const run = (...args: readonly string[]) => runHere(...args, '--config', config)

/** The end of a command that prints an error, and nothing else. */
function refused(code: number, expected: string): Ended {
  return { code, stdout: '', stderr: expect.stringContaining(expected) }
}
