import { generateKeyPairSync, type KeyObject, createPrivateKey, randomBytes } from 'node:crypto'
import { calculateJwkThumbprint, CompactSign, exportJWK } from 'jose'
import { GatewayError, LIMITS, shareFor } from '@counterfoil/common'
import {
  type MasterKeys,
  seal,
  type SigningKeyStore,
  type StoredSigningKey,
  unseal,
} from '@counterfoil/store'

const ALGORITHM = 'EdDSA'
/** The owner of a sealed private key. No login has this name. */
const OWNER = ''

export interface ManifestKeys {
  /**
   * Reads the public keys of every gateway of the store. Keys that sign no more stay, for the manifests that they have
   * signed. A result is shared for `LIMITS.jwksCacheMs`, because anybody may ask. Never rejects: while the store is
   * away, the last keys are valid.
   */
  readonly jwks: () => Promise<{ readonly keys: readonly object[] }>
  /** Returns a text as a JWS in its compact form (RFC 7515), with the newest key. */
  readonly sign: (text: string) => Promise<string>
}

/**
 * Opens the keys of manifests. The first gateway of a store makes a key (Ed25519, RFC 8037), and so does a gateway
 * whose configuration lacks the master key of the others.
 *
 * @throws `credentials` if a master key is wrong
 */
export async function openManifestKeys(
  store: Pick<SigningKeyStore, 'add' | 'list'>,
  masterKeys: MasterKeys,
  now: Date,
): Promise<ManifestKeys> {
  const known = await store.list()
  const usable = (keys: readonly StoredSigningKey[]) => {
    return keys.findLast(({ sealed }) => masterKeys.keys.has(sealed.masterKeyVersion))
  }
  const isEnough = usable(known) !== undefined
  const stored = isEnough ? known : await store.add(await makeKey(masterKeys, now), known.length)
  const key = usable(stored)
  if (key === undefined) {
    const message = 'Cannot open the key of manifests: its master key is missing'
    throw new GatewayError('credentials', message)
  }
  const { keyId } = key
  const privateKey = openKey(key, masterKeys)
  let jwks = jwksOf(stored)
  return {
    jwks: shareFor(LIMITS.jwksCacheMs, async () => {
      jwks = await store.list().then(jwksOf, () => jwks)
      return jwks
    }),
    sign: async (text) => {
      const header = {
        alg: ALGORITHM,
        kid: keyId,
        typ: 'application/jose',
        cty: 'application/json',
      }
      return await new CompactSign(Buffer.from(text)).setProtectedHeader(header).sign(privateKey)
    },
  }
}

function jwksOf(stored: readonly StoredSigningKey[]) {
  return { keys: stored.map(({ publicJwk }): object => JSON.parse(publicJwk)) }
}

async function makeKey(masterKeys: MasterKeys, now: Date): Promise<StoredSigningKey> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const jwk = await exportJWK(publicKey)
  const keyId = await calculateJwkThumbprint(jwk)
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    keyId,
    createdAt: now,
    publicJwk: JSON.stringify({ ...jwk, kid: keyId, alg: ALGORITHM, use: 'sig' }),
    sealed: seal(pem, { login: OWNER, keyId }, masterKeys, randomBytes),
  }
}

function openKey({ keyId, sealed }: StoredSigningKey, masterKeys: MasterKeys): KeyObject {
  return createPrivateKey(unseal(sealed, { login: OWNER, keyId }, masterKeys))
}
