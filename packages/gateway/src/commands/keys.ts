import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { Config } from '../config/config.ts'
import { GatewayError } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import {
  checkMasterKeys,
  controlKeyOf,
  type KeyContext,
  makeControlKey,
  publicKeyOf,
} from '../store/credentials.ts'
import { openMasterKeys } from '../store/seal.ts'
import type { Store, StoredKey } from '../store/store.ts'
import { table } from './table.ts'
import { withStore } from './with-store.ts'

/** Adds `keys add`, `keys list` and `keys revoke`: what the logins sign with. */
export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('what the logins sign with')
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
  keys
    .command('add')
    .description(
      'add a key to a login: a new control key, which is shown this once, or one that there is already',
    )
    .argument('<login>', 'whose key it is')
    .requiredOption('--config <file>', 'the configuration')
    .option('--public-key <file>', 'an RSA public key or certificate (PEM), for RSA-SHA256')
    .addOption(
      new Option(
        '--control-key-file <file>',
        'a control key that there is already, for HMAC-SHA1',
      ).conflicts('publicKey'),
    )
    .addHelpText(
      'after',
      `\nA login has ${LIMITS.liveKeysMax} live keys at most: add the new one, wait until its owner signs with it, revoke the old one.`,
    )
    .action(async (login: string, options: AddOptions) => {
      await withStore(options.config, async (store, config) => {
        const made =
          (options.publicKey ?? options.controlKeyFile) ? undefined : makeControlKey(randomBytes)
        const key = await newKey(login, options, { store, config }, made)
        await store.addKey(key)
        console.error(`Added key ${key.keyId} (${key.method}, ${key.fingerprint}) to ${login}.`)
        if (made === undefined) return
        console.error('Its control key follows. It is not shown again.')
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
    foreignFingerprints: config.otherEnvironment.keyFingerprints,
  }
  if (options.publicKey !== undefined) {
    return await publicKeyOf(login, readKeyFile(options.publicKey), context)
  }
  const controlKey = made ?? readKeyFile(options.controlKeyFile ?? '').trim()
  const masterKeys = openMasterKeys(config.masterKeys, process.env)
  await checkMasterKeys(store, masterKeys)
  return controlKeyOf(login, controlKey, masterKeys, context)
}

function addList(keys: Command): void {
  keys
    .command('list')
    .description('list the keys, of one login or of all')
    .argument('[login]', 'whose keys')
    .requiredOption('--config <file>', 'the configuration')
    .action(async (login: string | undefined, options: { config: string }) => {
      const stored = await withStore(options.config, (store) => store.listKeys(login))
      const rows = stored.map((key) => [
        key.keyId,
        key.login,
        key.method,
        key.fingerprint,
        key.createdAt.toISOString(),
        key.revokedAt?.toISOString() ?? '-',
      ])
      console.log(table(['KEY', 'LOGIN', 'METHOD', 'FINGERPRINT', 'ADDED', 'REVOKED'], rows))
    })
}

function addRevoke(keys: Command): void {
  keys
    .command('revoke')
    .description('revoke a key, for good; a running gateway refuses it at once')
    .argument('<key-id>', 'as "keys list" shows it')
    .requiredOption('--config <file>', 'the configuration')
    .action(async (keyId: string, options: { config: string }) => {
      const key = await withStore(options.config, (store) => store.revokeKey(keyId, new Date()))
      console.error(`Revoked key ${keyId} (${key.method}, ${key.fingerprint}) of ${key.login}.`)
    })
}

function readKeyFile(file: string): string {
  try {
    if (statSync(file).size <= LIMITS.keyFileBytesMax) return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new GatewayError('credentials', `expected a key in ${file}, which cannot be read`, {
      cause,
    })
  }
  const expected = `expected a key of ${LIMITS.keyFileBytesMax} bytes or less in ${file}`
  throw new GatewayError('credentials', expected)
}
