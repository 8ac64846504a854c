import { spawnSync } from 'node:child_process'
import { generateKeyPair, randomBytes } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { importControlKey, importPrivateKey, type SigningKey } from '@counterfoil/signing'
import { stringify } from 'yaml'
import * as z from 'zod'
import { loadConfig, reportChecksFile } from '../../src/config/config.ts'
import { generateLedger } from '../../../sample-data/src/generate/generate-ledger.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { controlKeyOf, makeControlKey, publicKeyOf } from '../../../store/src/keys/credentials.ts'
import { openMasterKeys } from '../../../store/src/keys/seal.ts'
import type { Role } from '../../../common/src/roles.ts'
import type { Store } from '../../../store/src/store/store.ts'
import { freePort } from './free-port.ts'
import { copyChecks, keepChecks } from './kept-checks.ts'
import { dropMonthsBefore } from './drop-months.ts'
import { copyKept, copyLedger, keep } from './kept-files.ts'
import { openStore } from '../../../store/src/store/open-store.ts'

/** A login of a sandbox, with its keys. */
export interface Login {
  readonly login: string
  readonly role: Role
  readonly sees: readonly string[]
  readonly controlKey: string
  readonly hmac: SigningKey
  /** PKCS#1, PEM. A login that a test adds has none. The strict login has one that is not registered. */
  readonly privateKey?: string
  readonly rsa?: SigningKey
}

/** The logins by role. The login `strict` must sign `oauth_body_hash`. */
export type Logins = Readonly<Record<Role | 'strict', Required<Login>>>

const REPORT_PATH = '/ui/services/v2/rpt-engine'
const REPORTS = join(import.meta.dirname, '../../../../reports')
const OWN_REPORTS = join(import.meta.dirname, 'reports')
const VIEWS: Readonly<Record<keyof Logins, readonly [Role, readonly string[]]>> = {
  operator: ['operator', []],
  manager: ['manager', ['1']],
  reseller: ['reseller', ['2']],
  merchant: ['merchant', ['1', '5']],
  strict: ['merchant', ['1']],
}

/**
 * The first month that a ledger of so many transactions keeps. A generated ledger has 34 months, and every query opens
 * each part of each month.
 */
const FIRST_MONTHS: Readonly<Record<number, string>> = {
  1000: '202610',
  2000: '202610',
  6000: '202610',
  24_000: '202511',
}
/** The number of transactions for tests that need no other number. */
export const USUAL_ROWS = 10_478

/** The product's report files. */
export const EVERY_REPORT = readdirSync(REPORTS)

/**
 * Creates a sandbox. It remembers the report files that passed their check in earlier sandboxes.
 *
 * @param rows the ledger keeps the newest months of so many transactions; with 0 there is no ledger
 * @param reportFiles the product's report files to add to those of the tests
 */
export async function makeSandbox(
  rows = 24_000,
  reportFiles: readonly string[] = ['transactions-list.yaml'],
) {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const dataDir = join(folder, 'data')
  const reports = join(folder, 'reports')
  mkdirSync(dataDir)
  cpSync(OWN_REPORTS, reports, { recursive: true })
  for (const file of reportFiles) cpSync(join(REPORTS, file), join(reports, file))
  const masterKey = join(folder, 'master.key')
  writeFileSync(masterKey, randomBytes(32).toString('base64'), { mode: 0o600 })
  let configs = 0
  /** Writes a configuration for a free port, with changes to the usual one. Returns the file. */
  const writeConfig = async (change: object = {}): Promise<string> => {
    const port = await freePort()
    const file = join(folder, `gateway-${(configs += 1)}.yaml`)
    const config = {
      environment: 'sandbox',
      publicUrl: `http://127.0.0.1:${port}`,
      reportPath: REPORT_PATH,
      listen: { host: '127.0.0.1', port },
      dataDir,
      reports,
      masterKeys: [{ version: 1, file: masterKey }],
      otherEnvironment: {},
    }
    writeFileSync(file, stringify({ ...config, ...change }))
    return file
  }
  const config = loadConfig(await writeConfig())
  const masterKeys = openMasterKeys(config.masterKeys, {})
  const store = await openStore(config)
  let keyPairs = 0
  const add = async (login: keyof Logins) => {
    const { publicKey, privateKey } = await readKeyPair(folder, (keyPairs += 1))
    const added = await addLogin(store, masterKeys, login, ...VIEWS[login])
    const context = { now: new Date(), randomBytes, foreignFingerprints: [] }
    if (login !== 'strict') await store.addKey(await publicKeyOf(login, publicKey, context))
    return { ...added, privateKey, rsa: await importPrivateKey(privateKey) }
  }
  const [operator, manager, reseller, merchant, strict] = await Promise.all([
    add('operator'),
    add('manager'),
    add('reseller'),
    add('merchant'),
    add('strict'),
  ])
  await store.close()
  const checks = reportChecksFile(config)
  copyChecks(checks)
  if (rows > 0) {
    await copyLedger(`${rows}-rows`, join(dataDir, 'ledger'), async () => {
      const engine = await openEngine(config)
      await generateLedger(engine, { rows, seed: 1 })
      const first = FIRST_MONTHS[rows]
      if (first !== undefined) await dropMonthsBefore(engine, first)
      // Every query opens each part of each month.
      await engine.execute('OPTIMIZE TABLE transactions FINAL')
      await engine.close()
    })
  }
  const logins: Logins = { operator, manager, reseller, merchant, strict }
  /** Texts that must never be in a log: control keys, and what `ask` adds when it signs. */
  const secrets = new Set(Object.values(logins).map(({ controlKey }) => controlKey))
  /** Card data that `operate` sent. It may be in no text of the ledger, and a number in no file of the data. */
  const [cardNumbers, cvvs] = [new Set<string>(), new Set<string>()]
  /** Removes the folder. Throws if its data contains a card number. */
  const remove = (): void => {
    const leaked = filesWith([...cardNumbers], dataDir)
    keepChecks(checks)
    rmSync(folder, { recursive: true })
    if (leaked.length > 0) throw new Error(`expected no card number in ${leaked.join()}`)
  }
  return {
    folder,
    dataDir,
    reports,
    logins,
    secrets,
    cardNumbers,
    cvvs,
    writeConfig,
    /** Adds a login that sees other ids than `logins` do. A gateway may be running. */
    addLogin: async (
      login: string,
      role: Role,
      sees: readonly string[],
      timezone?: string,
    ): Promise<Login> => {
      const opened = await openStore(config)
      const added = await addLogin(opened, masterKeys, login, role, sees, timezone)
      await opened.close()
      secrets.add(added.controlKey)
      return added
    },
    /** Keeps the successful checks of report files for other sandboxes. */
    keepChecks: () => keepChecks(checks),
    remove,
  }
}

/** The files of a gateway: a folder with a generated ledger, a store with logins, and report files. */
export type Sandbox = Readonly<Awaited<ReturnType<typeof makeSandbox>>>

/** The files of a folder that contain one of some texts. */
export function filesWith(texts: readonly string[], folder: string): readonly string[] {
  if (texts.length === 0) return []
  const patterns = texts.flatMap((text) => ['-e', text])
  const { stdout, status } = spawnSync('grep', ['-rlaF', ...patterns, folder], { encoding: 'utf8' })
  if (status === null || status > 1) throw new Error('expected grep to search the folder')
  return stdout.split('\n').filter(Boolean)
}

async function addLogin(
  store: Store,
  masterKeys: Parameters<typeof controlKeyOf>[2],
  login: string,
  role: Role,
  sees: readonly string[],
  timezone?: string,
): Promise<Login> {
  const context = { now: new Date(), randomBytes, foreignFingerprints: [] }
  const controlKey = makeControlKey(randomBytes)
  const bodyHashRequired = login === 'strict'
  await store.addLogin({
    name: login,
    role,
    sees,
    bodyHashRequired,
    ...(timezone !== undefined && { timezone }),
    createdAt: new Date(),
  })
  await store.addKey(controlKeyOf(login, controlKey, masterKeys, context))
  return { login, role, sees, controlKey, hmac: await importControlKey(controlKey) }
}

const keyPairSchema = z.object({ publicKey: z.string(), privateKey: z.string() })

type KeyPair = z.output<typeof keyPairSchema>

/** Reads an RSA key pair by its number. All sandboxes share the pairs, because making one is slow. */
async function readKeyPair(folder: string, number: number): Promise<KeyPair> {
  const [name, file] = [`rsa-${number}.json`, join(folder, `rsa-${number}.json`)]
  if (!copyKept(name, file)) {
    const pair = await promisify(generateKeyPair)('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    })
    writeFileSync(file, JSON.stringify(pair))
    keep(name, file)
  }
  return keyPairSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
}
