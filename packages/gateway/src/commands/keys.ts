import { randomBytes } from 'node:crypto'
import { InvalidArgumentError } from 'commander'
import { LIMITS } from '@counterfoil/common'
import {
  checkMasterKeys,
  controlKeyOf,
  makeControlKey,
  openMasterKeys,
  publicKeyOf,
  type StoredKey,
} from '@counterfoil/store'
import { argument, command, CONFIG, group, JSON_FLAG, option, textOfFile } from './command.ts'
import { printList } from './terminal.ts'
import { withStore } from './with-store.ts'

const ADD = command({
  name: 'add',
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
  takes: {
    config: CONFIG,
    login: argument('<login>', 'login that signs with the key'),
    publicKey: option(
      '--public-key <file>',
      'RSA public key or certificate (PEM), for RSA-SHA256',
      textOfFile('the key', LIMITS.keyFileBytesMax),
    ),
    existing: option(
      '--control-key-file <file>',
      'existing control key, for HMAC-SHA1',
      textOfFile('the key', LIMITS.keyFileBytesMax),
    ),
  },
  run: async ({ config, login, publicKey, existing }) => {
    if (publicKey !== undefined && existing !== undefined) {
      throw new InvalidArgumentError('expected either --public-key or --control-key-file')
    }
    await withStore(config, async (store) => {
      const foreignFingerprints = config.otherEnvironment?.keyFingerprints ?? []
      const context = { now: new Date(), randomBytes, foreignFingerprints }
      const add = async (key: StoredKey): Promise<void> => {
        await store.addKey(key)
        console.error(`Added key ${key.keyId} (${key.method}, ${key.fingerprint}) to ${login}.`)
      }
      if (publicKey !== undefined) return await add(await publicKeyOf(login, publicKey, context))
      const controlKey = existing?.trim() ?? makeControlKey(randomBytes)
      const masterKeys = openMasterKeys(config.masterKeys, process.env)
      await checkMasterKeys(store, masterKeys)
      await add(controlKeyOf(login, controlKey, masterKeys, context))
      if (existing !== undefined) return
      console.error('The control key follows. Nobody can see it again.')
      console.log(controlKey)
    })
  },
})

const LIST = command({
  name: 'list',
  summary: 'list the keys',
  description:
    'Lists the keys of one login, or of all. Shows fingerprints, never a secret. LAST USED is up to a minute old.',
  examples: ['keys list shop-1 --config gateway.yaml'],
  takes: {
    config: CONFIG,
    login: argument<string | undefined>(
      '[login]',
      'login whose keys to list (default: all logins)',
    ),
    json: JSON_FLAG,
  },
  run: async ({ config, login, json }) => {
    const stored = await withStore(config, (store) => store.listKeys(login))
    // JSON omits what is undefined. An encrypted key is of no use to a reader.
    const keys = stored.map((key) => ({ ...key, material: undefined }))
    printList(json, keys, {
      KEY: ({ keyId }) => keyId,
      LOGIN: (key) => key.login,
      METHOD: ({ method }) => method,
      FINGERPRINT: ({ fingerprint }) => fingerprint,
      ADDED: ({ createdAt }) => createdAt,
      'LAST USED': ({ lastUsedAt }) => lastUsedAt,
      REVOKED: ({ revokedAt }) => revokedAt,
    })
  },
})

const REVOKE = command({
  name: 'revoke',
  summary: 'revoke a key',
  description: 'Revokes a key for ever. A running gateway refuses the next request with this key.',
  examples: ['keys revoke KEY_ID --config gateway.yaml'],
  takes: {
    config: CONFIG,
    keyId: argument('<key-id>', 'id of the key, as "keys list" shows it'),
  },
  run: async ({ config, keyId }) => {
    const key = await withStore(config, (store) => store.revokeKey(keyId, new Date()))
    console.error(`Revoked key ${keyId} (${key.method}, ${key.fingerprint}) of ${key.login}.`)
  },
})

export const KEYS = group({
  name: 'keys',
  summary: 'add, list and revoke keys of logins',
  description: 'Adds, lists and revokes the keys that logins sign their requests with.',
  below: [ADD, LIST, REVOKE],
})
