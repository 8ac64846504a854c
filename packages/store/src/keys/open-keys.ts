import type { KeyObject } from 'node:crypto'
import type { Store } from '../store/store.ts'
import { checkMasterKeys, createKeyOpener, type OpenKey } from './credentials.ts'
import { deriveKey, type MasterKeys, type MasterKeySource, openMasterKeys } from './seal.ts'

/** The keys of a running gateway. */
export interface OpenKeys {
  /** Opens the key of a login. */
  readonly openKey: OpenKey
  /** Derives the key that card numbers are hashed with from a version of the master key. */
  readonly hashKeyOf: (keyVersion: number) => KeyObject
  /** The version of the master key that seals and hashes now. */
  readonly newestVersion: number
  /** Seals and opens the gateway's own keys. */
  readonly masterKeys: MasterKeys
}

/** What the derived key is for: another purpose gives another key. */
const CARD_HASHES = 'counterfoil card hashes'

/**
 * Opens the master keys, and checks that they open the keys of the store.
 *
 * @throws `credentials` when a master key is missing, or does not open what the store holds
 */
export async function openKeys(
  store: Store,
  sources: readonly MasterKeySource[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenKeys> {
  const masterKeys = openMasterKeys(sources, environment)
  await checkMasterKeys(store, masterKeys)
  const openKey = createKeyOpener(masterKeys)
  return {
    openKey,
    hashKeyOf: (version) => deriveKey(masterKeys, version, CARD_HASHES),
    newestVersion: masterKeys.newestVersion,
    masterKeys,
  }
}
