/** A text that only a master key opens (AES-256-GCM). */
export interface SealedSecret {
  readonly masterKeyVersion: number
  readonly iv: Uint8Array
  readonly ciphertext: Uint8Array
  readonly tag: Uint8Array
}
