import { generateKeyPair, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Config } from '../config/config.ts'
import type { Role } from '@counterfoil/common'
import {
  type Store,
  controlKeyOf,
  makeControlKey,
  openMasterKeys,
  openStore,
  publicKeyOf,
  storeFile,
} from '@counterfoil/store'

/** A login of the demo with its secret. */
export interface DemoLogin {
  readonly login: string
  readonly role: Role
  readonly controlKey?: string
  readonly privateKeyFile?: string
}

/** The content of `demo.json`, for other programs. */
interface DemoFile {
  readonly endpoint: string
  readonly consumers: readonly DemoLogin[]
}

/** The merchant id of each of the demo's merchants. */
export const DEMO_MERCHANTS = { 'shop-1': '1', 'shop-2': '2' } as const

const RSA_BITS = 4096

/** Creates the demo's logins at its first start, and writes them to `demo.json` (mode 0600). */
export async function prepareDemoLogins(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly DemoLogin[]> {
  const file = join(config.dataDir, 'demo.json')
  const reportUrl = config.publicUrl + config.reportPath
  const logins = readLogins(file, config) ?? (await makeLogins(config, environment))
  writePrivately(
    file,
    `${JSON.stringify({ endpoint: reportUrl, consumers: logins } satisfies DemoFile, undefined, 2)}\n`,
  )
  return logins
}

/** Reads the logins of an earlier start. Returns `undefined` if their secrets or the store are missing. */
function readLogins(file: string, config: Config): readonly DemoLogin[] | undefined {
  if (!existsSync(file) || !existsSync(storeFile(config))) return undefined
  const { consumers: logins }: DemoFile = JSON.parse(readFileSync(file, 'utf8'))
  const isThere = ({ privateKeyFile }: DemoLogin): boolean => {
    return privateKeyFile === undefined || existsSync(privateKeyFile)
  }
  return logins.every(isThere) ? logins : undefined
}

async function makeLogins(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly DemoLogin[]> {
  for (const suffix of ['', '-wal', '-shm']) rmSync(storeFile(config) + suffix, { force: true })
  const store = await openStore(config)
  try {
    const masterKeys = openMasterKeys(config.masterKeys, environment)
    const context = { now: new Date(), randomBytes, foreignFingerprints: [] }
    const addWithControlKey = async (
      login: string,
      role: Role,
      sees: readonly string[],
    ): Promise<DemoLogin> => {
      await addLogin(store, login, role, sees)
      const controlKey = makeControlKey(randomBytes)
      await store.addKey(controlKeyOf(login, controlKey, masterKeys, context))
      return { login, role, controlKey }
    }
    const shop1 = await addWithControlKey('shop-1', 'merchant', [DEMO_MERCHANTS['shop-1']])
    const operator = await addWithControlKey('operator', 'operator', [])

    const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
      modulusLength: RSA_BITS,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    })
    const privateKeyFile = join(config.dataDir, 'shop-2.private.pem')
    writePrivately(privateKeyFile, privateKey)
    await addLogin(store, 'shop-2', 'merchant', [DEMO_MERCHANTS['shop-2']])
    await store.addKey(await publicKeyOf('shop-2', publicKey, context))
    return [shop1, { login: 'shop-2', role: 'merchant', privateKeyFile }, operator]
  } finally {
    await store.close()
  }
}

async function addLogin(
  store: Store,
  login: string,
  role: Role,
  sees: readonly string[],
): Promise<void> {
  await store.addLogin({ name: login, role, sees, bodyHashRequired: false, createdAt: new Date() })
}

/** Writes a file atomically. Other users can never read it. */
function writePrivately(file: string, text: string): void {
  const part = `${file}.${randomBytes(6).toString('hex')}.part`
  writeFileSync(part, text, { mode: 0o600, flag: 'wx' })
  renameSync(part, file)
}
