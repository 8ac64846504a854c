import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { runHere } from '../../test/kit/run-here.ts'

let folder: string
let config: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  config = join(folder, 'gateway.yaml')
  const paths = { reportPath: '/reports', dataDir: 'data', reports: folder }
  const masterKeys = [{ version: 1, environment: 'UNUSED' }]
  const address = { environment: 'sandbox', publicUrl: 'http://127.0.0.1:8080' }
  writeFileSync(config, stringify({ ...address, ...paths, masterKeys }))
  await run('add', 'shop', '--role', 'merchant', '--sees', '17')
})
afterEach(() => rmSync(folder, { recursive: true }))

const run = (...args: string[]) => runHere('logins', ...args, '--config', config)

test('changes a login, and refuses changes after which it would see nothing', async () => {
  const changed = await run('change', 'shop', '--sees', '18,19', '--require-body-hash')
  expect(changed).toMatchObject({ code: 0 })
  expect(changed.stderr).toContain('Changed shop. The login sees merchants 18, 19.')
  expect((await run('list')).stdout).toMatch(/shop +merchant +merchants 18, 19 +required/)
  const zone = await run('change', 'shop', '--timezone', 'Asia/Tokyo')
  expect(zone.stderr).toContain('The login sees merchants 18, 19. Its time zone is Asia/Tokyo.')
  await run('change', 'shop', '--role', 'operator', '--no-require-body-hash')
  expect((await run('list')).stdout).toMatch(/shop +operator +everything +- /)
  const wrong: readonly (readonly [RegExp, ...string[]])[] = [
    [/nothing to change/, 'shop'],
    [/missing --sees with the ids of the login's managers/, 'shop', '--role', 'manager'],
    [/an operator sees everything/, 'shop', '--sees', '1'],
    [/There is no login nobody/, 'nobody', '--role', 'operator'],
  ]
  for (const [expected, ...args] of wrong) {
    const refused = await run('change', ...args)
    expect([refused.code > 0, refused.stdout]).toEqual([true, ''])
    expect(refused.stderr).toMatch(expected)
  }
})

test('removes a login for good', async () => {
  expect(await run('remove', 'shop')).toMatchObject({ code: 0, stderr: 'Removed shop.\n' })
  expect((await run('list')).stdout).not.toContain('shop')
  expect((await run('remove', 'shop')).stderr).toContain('There is no login shop')
  const again = await run('add', 'shop', '--role', 'merchant', '--sees', '17')
  expect(again.stderr).toContain('its name is not used again')
})
