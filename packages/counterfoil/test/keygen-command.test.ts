import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importPublicKey } from '@counterfoil/signing'
import { expect, test } from 'vitest'
import { folder, useFolder } from './fixture.ts'
import { endOf, runHere, startChild } from './run-command.ts'

useFolder()

const read = async (name: string) => await readFile(join(folder, name), 'utf8')

/** The public half of a private key, as OpenSSL derives it. */
async function publicHalf(file: string, passphrase?: string): Promise<string> {
  const key = createPrivateKey({ key: await read(file), ...(passphrase && { passphrase }) })
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
}

test('writes a pair of 4096 bits, and says what to send to whom', async () => {
  const child = startChild(['keygen', 'shop'], { folder })
  const { code, stdout, stderr } = await endOf(child)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect((await readdir(folder)).toSorted()).toEqual(['shop-private.pem', 'shop-public.pem'])
  expect((await stat(join(folder, 'shop-private.pem'))).mode & 0o777).toBe(0o600)
  expect(await read('shop-private.pem')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
  const { bits, fingerprint } = await importPublicKey(await read('shop-public.pem'))
  expect(bits).toBe(4096)
  expect(await publicHalf('shop-private.pem')).toBe(await read('shop-public.pem'))
  expect(stdout).toContain(`  fingerprint  ${fingerprint}\n`)
  expect(stdout).toContain('Send shop-public.pem and your login to the operator of the gateway')
  expect(stdout).toContain(
    'counterfoil-gateway keys add LOGIN --public-key shop-public.pem --config',
  )
})

test('asks for a passphrase twice', async () => {
  const args = ['keygen', 'shop', '--bits', '2048', '--passphrase']
  const { code, stderr } = await runHere(args, { folder, input: 'mine\nmine\n' })
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'Passphrase of the new key: \nThe same passphrase again: \n',
  })
  expect(await read('shop-private.pem')).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/)
  expect(await publicHalf('shop-private.pem', 'mine')).toBe(await read('shop-public.pem'))
})

test.each([
  ['mine\nother\n', 'the two passphrases differ'],
  ['\n', 'expected a passphrase that is not empty'],
  ['mine\n', 'the input ended before the answer'],
])('writes nothing after the answers %j', async (input, message) => {
  const { code, stderr } = await runHere(['keygen', '--passphrase'], { folder, input })
  expect(stderr).toContain(message)
  expect(code).toBe(2)
  expect(await readdir(folder)).toEqual([])
})

test.each(['shop-private.pem', 'shop-public.pem'])('replaces no %s', async (name) => {
  await writeFile(join(folder, name), 'mine')
  const { code, stdout, stderr } = await runHere(['keygen', 'shop', '--bits', '2048'], { folder })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(`counterfoil: ${name} already exists; choose another name\n`)
  expect(await readdir(folder)).toEqual([name])
  expect(await read(name)).toBe('mine')
})

test.each([
  [['--bits', '1024'], 'Allowed choices are 2048, 3072, 4096, 8192'],
  [
    ['no/such/folder/shop', '--bits', '2048'],
    'cannot write no/such/folder/shop-public.pem: ENOENT',
  ],
])('ends with exit code 2 for %j', async (args, message) => {
  const { code, stderr } = await runHere(['keygen', ...args], { folder })
  expect(stderr).toContain(message)
  expect(code).toBe(2)
  expect(await readdir(folder)).toEqual([])
})
