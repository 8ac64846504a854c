import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import * as z from 'zod'
import { GatewayError, readPrivateFile } from '@counterfoil/common'

const sealedBytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array)

/** The columns of a text that only a master key opens (AES-256-GCM). */
export const sealedSecret = z.object({
  masterKeyVersion: z.int(),
  iv: sealedBytes,
  ciphertext: sealedBytes,
  tag: sealedBytes,
})

export type SealedSecret = Readonly<z.output<typeof sealedSecret>>

/** Where a master key is: in a file, or in a variable of the environment. */
export type MasterKeySource = { readonly version: number } & (
  | { readonly file: string }
  | { readonly environment: string }
)

/** The master keys by version; nothing can print them. */
export interface MasterKeys {
  /** The one that seals: the highest version. */
  readonly newestVersion: number
  readonly keys: ReadonlyMap<number, KeyObject>
}

/** Whose secret it is; what is sealed opens for no other login or key. */
export interface SecretOwner {
  readonly login: string
  readonly keyId: string
}

/** `count` random bytes, fit for keys. */
export type RandomBytes = (count: number) => Uint8Array

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const DERIVED_KEY_BYTES = 32
const MASTER_KEY = /^[A-Za-z0-9+/]{43}=$/

/**
 * Opens the master keys: 32 bytes in base64 each, from a file that only its owner may read, or from the environment.
 * Throws a `GatewayError` of the code `config` that says which one is at fault.
 */
export function openMasterKeys(
  sources: readonly MasterKeySource[],
  environment: Readonly<Record<string, string | undefined>>,
): MasterKeys {
  const keys = new Map(
    sources.map((source) => {
      const text =
        ('file' in source
          ? readPrivateFile(source.file, 'master key file')
          : environment[source.environment]) ?? ''
      if (MASTER_KEY.test(text.trim())) {
        return [source.version, createSecretKey(text, 'base64')] as const
      }
      const place = 'file' in source ? `the file ${source.file}` : `$${source.environment}`
      const expected = `expected 32 bytes in base64 in ${place} (make them with "openssl rand -base64 32")`
      throw new GatewayError('config', `master key ${source.version}: ${expected}`)
    }),
  )
  return { newestVersion: Math.max(...keys.keys()), keys }
}

/** Seals a text with the newest master key (AES-256-GCM, NIST SP 800-38D). */
export function seal(
  secret: string,
  owner: SecretOwner,
  masterKeys: MasterKeys,
  randomBytes: RandomBytes,
): SealedSecret {
  const masterKeyVersion = masterKeys.newestVersion
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, masterKey(masterKeys, masterKeyVersion), iv, {
    authTagLength: TAG_BYTES,
  })
  cipher.setAAD(associatedData(owner, masterKeyVersion))
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return { masterKeyVersion, iv, ciphertext, tag: cipher.getAuthTag() }
}

/**
 * Opens what `seal` has sealed for this owner.
 * Throws a `GatewayError` of the code `credentials` for another owner or master key, and for changed bytes.
 */
export function unseal(sealed: SealedSecret, owner: SecretOwner, masterKeys: MasterKeys): string {
  const { masterKeyVersion, iv, ciphertext, tag } = sealed
  const key = masterKey(masterKeys, masterKeyVersion)
  try {
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES })
    decipher.setAAD(associatedData(owner, masterKeyVersion)).setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
  } catch (cause) {
    const what = `the key ${owner.keyId} of ${owner.login}`
    const message = `Cannot decrypt ${what} with master key ${masterKeyVersion}: the master key is wrong, or the stored key is damaged`
    throw new GatewayError('credentials', message, { cause })
  }
}

/** Derives a key of its own for a purpose from a master key (HKDF-SHA256, RFC 5869). */
export function deriveKey(masterKeys: MasterKeys, version: number, purpose: string): KeyObject {
  const bytes = hkdfSync('sha256', masterKey(masterKeys, version), '', purpose, DERIVED_KEY_BYTES)
  return createSecretKey(Buffer.from(bytes))
}

function masterKey({ keys }: MasterKeys, version: number): KeyObject {
  const key = keys.get(version)
  if (key) return key
  const message = `Master key ${version} is missing in the configuration (masterKeys)`
  throw new GatewayError('config', message)
}

/** No two owners give the same bytes. */
function associatedData({ login, keyId }: SecretOwner, masterKeyVersion: number): Buffer {
  return Buffer.from(JSON.stringify([login, keyId, masterKeyVersion]))
}
