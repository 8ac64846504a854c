import * as z from 'zod'

/** A text that only a master key opens (AES-256-GCM). */
export interface SealedSecret {
  readonly masterKeyVersion: number
  readonly iv: Uint8Array
  readonly ciphertext: Uint8Array
  readonly tag: Uint8Array
}

/** Writes a sealed text as columns. */
export function writeSealed({ masterKeyVersion, ...bytes }: SealedSecret) {
  return { master_key_version: masterKeyVersion, ...bytes }
}

const sealedColumns = z.object({
  master_key_version: z.int(),
  iv: z.instanceof(Uint8Array),
  ciphertext: z.instanceof(Uint8Array),
  tag: z.instanceof(Uint8Array),
})

/** Reads a sealed text from columns. */
export function readSealed(row: unknown): SealedSecret {
  const { master_key_version: masterKeyVersion, ...bytes } = sealedColumns.parse(row)
  return { masterKeyVersion, ...bytes }
}
