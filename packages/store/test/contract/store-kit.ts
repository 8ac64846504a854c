import type { Login, StoredKey } from '../../src/store/login-store.ts'
import type { Store } from '../../src/store/store.ts'

/** A place for one store, empty at first. */
export interface StorePlace {
  /** Opens the store there. Two that are open are as two processes. */
  readonly open: () => Promise<Store>
  /** Deletes operations by SQL, as an operator does. */
  readonly deleteOperations: (where: string) => Promise<void>
  readonly remove: () => Promise<void>
}

/** The store of a test. */
export interface StoreKit {
  readonly store: () => Store
  /** Opens the place of the store again, as another process. */
  readonly openOther: () => Promise<Store>
  readonly deleteOperations: StorePlace['deleteOperations']
}

/** Makes a login for tests. */
export const makeLogin = (name: string, change: Partial<Login> = {}): Login => ({
  name,
  role: 'merchant',
  sees: ['17'],
  bodyHashRequired: false,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  ...change,
})

/** A sealed secret for tests. */
export const SEALED = {
  masterKeyVersion: 2,
  iv: Uint8Array.of(1, 2),
  ciphertext: Uint8Array.of(0, 255),
  tag: Uint8Array.of(3),
}

/** Makes a control key for tests. */
export const controlKey = (keyId: string, login = 'shop'): StoredKey => ({
  keyId,
  login,
  method: 'HMAC-SHA1',
  fingerprint: `SHA256:${keyId}`,
  createdAt: new Date('2026-01-02T03:04:06Z'),
  material: { kind: 'control-key', sealed: SEALED },
})

/** Makes a public key for tests. */
export const publicKey = (keyId: string, login = 'shop'): StoredKey => ({
  ...controlKey(keyId, login),
  method: 'RSA-SHA256',
  material: { kind: 'public-key', pem: 'the PEM text' },
})
