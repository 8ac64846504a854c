import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { Config } from '../config/config.ts'
import { GatewayError, LIMITS } from '@counterfoil/common'
import {
  checkMasterKeys,
  controlKeyOf,
  type KeyContext,
  makeControlKey,
  openMasterKeys,
  publicKeyOf,
  type Store,
  type StoredKey,
} from '@counterfoil/store'
import { addCommand, addGroup } from './config-option.ts'
import { table } from './table.ts'
import { withStore } from './with-store.ts'

/** Adds `keys add`, `keys list` and `keys revoke`. */
export function addKeyCommands(program: Command): void {
  const keys = addGroup(program, 'keys', {
    summary: 'add, list and revoke keys of logins',
    description: 'Adds, lists and revokes the keys that logins sign their requests with.',
    examples: [
      'keys add shop-1 --config gateway.yaml',
      'keys list shop-1 --config gateway.yaml',
      'keys revoke KEY_ID --config gateway.yaml',
    ],
  })
  addAdd(keys)
  addList(keys)
  addRevoke(keys)
}

interface AddOptions {
  readonly config: string
  readonly publicKey?: string
  readonly controlKeyFile?: string
}

function addAdd(keys: Command): void {
  addCommand(keys, 'add', {
    summary: 'add a key to a login',
    description:
      'Adds a key to a login. Without a file the command creates a control key and prints it once, on stdout. Nobody ' +
      `can read it again later. A login has at most ${LIMITS.activeKeysMax} active keys of each kind: control keys and RSA ` +
      'keys. To rotate a key, add the new key, ' +
      'let the caller confirm that every program signs with it, then revoke the old key.',
    examples: [
      'keys add shop-1 --config gateway.yaml > shop-1.key',
      'keys add shop-1 --config gateway.yaml \\\n    --public-key shop-1.pem',
    ],
  })
    .argument('<login>', 'login that signs with the key')
    .option('--public-key <file>', 'RSA public key or certificate (PEM), for RSA-SHA256')
    .addOption(
      new Option('--control-key-file <file>', 'existing control key, for HMAC-SHA1').conflicts(
        'publicKey',
      ),
    )
    .action(async (login: string, options: AddOptions) => {
      await withStore(options.config, async (store, config) => {
        const made =
          (options.publicKey ?? options.controlKeyFile) ? undefined : makeControlKey(randomBytes)
        const key = await newKey(login, options, { store, config }, made)
        await store.addKey(key)
        console.error(`Added key ${key.keyId} (${key.method}, ${key.fingerprint}) to ${login}.`)
        if (made === undefined) return
        console.error('The control key follows. Nobody can see it again.')
        console.log(made)
      })
    })
}

async function newKey(
  login: string,
  options: AddOptions,
  { store, config }: { readonly store: Store; readonly config: Config },
  made: string | undefined,
): Promise<StoredKey> {
  const context: KeyContext = {
    now: new Date(),
    randomBytes,
    foreignFingerprints: config.otherEnvironment?.keyFingerprints ?? [],
  }
  if (options.publicKey !== undefined) {
    return await publicKeyOf(login, readPublicKey(options.publicKey), context)
  }
  const controlKey = made ?? readKeyFile(options.controlKeyFile ?? '').trim()
  const masterKeys = openMasterKeys(config.masterKeys, process.env)
  await checkMasterKeys(store, masterKeys)
  return controlKeyOf(login, controlKey, masterKeys, context)
}

function addList(keys: Command): void {
  addCommand(keys, 'list', {
    summary: 'list the keys',
    description:
      'Lists the keys of one login, or of all. Shows fingerprints, never a secret. LAST USED is up to a minute old.',
    examples: ['keys list shop-1 --config gateway.yaml'],
  })
    .argument('[login]', 'login whose keys to list (default: all logins)')
    .option('--json', 'print JSON')
    .action(async (login: string | undefined, options: { config: string; json?: true }) => {
      const stored = await withStore(options.config, (store) => store.listKeys(login))
      if (options.json) {
        // JSON omits what is undefined. An encrypted key is of no use to a reader.
        const printed = stored.map((key) => ({ ...key, material: undefined }))
        console.log(JSON.stringify(printed, undefined, 2))
        return
      }
      const rows = stored.map((key) => [
        key.keyId,
        key.login,
        key.method,
        key.fingerprint,
        key.createdAt.toISOString(),
        key.lastUsedAt?.toISOString() ?? '-',
        key.revokedAt?.toISOString() ?? '-',
      ])
      console.log(
        table(['KEY', 'LOGIN', 'METHOD', 'FINGERPRINT', 'ADDED', 'LAST USED', 'REVOKED'], rows),
      )
    })
}

function addRevoke(keys: Command): void {
  addCommand(keys, 'revoke', {
    summary: 'revoke a key',
    description:
      'Revokes a key for ever. A running gateway refuses the next request with this key.',
    examples: ['keys revoke KEY_ID --config gateway.yaml'],
  })
    .argument('<key-id>', 'id of the key, as "keys list" shows it')
    .action(async (keyId: string, options: { config: string }) => {
      const key = await withStore(options.config, (store) => store.revokeKey(keyId, new Date()))
      console.error(`Revoked key ${keyId} (${key.method}, ${key.fingerprint}) of ${key.login}.`)
    })
}

function readPublicKey(file: string): string {
  const pem = readKeyFile(file)
  if (pem.includes('-----BEGIN ')) return pem
  const message = `--public-key: ${file} holds no PEM key (no line -----BEGIN ...-----)`
  throw new GatewayError('credentials', message)
}

function readKeyFile(file: string): string {
  try {
    if (statSync(file).size <= LIMITS.keyFileBytesMax) return readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('credentials', `Cannot read the key: ${reason}`, { cause })
  }
  const message = `${file}: expected a key of at most ${LIMITS.keyFileBytesMax} bytes`
  throw new GatewayError('credentials', message)
}
