import type { Mistake } from './mistakes.ts'

/** What the keys of a login show about a signature. */
export interface Evidence {
  /** Whether one of the keys made the signature of a base string, by the right method. */
  isOf(baseString: string): Promise<boolean>
  /** Names the mistake with the key or the method, if the signature is of this base string apart from it. */
  mistakeOf(baseString: string): Promise<Mistake | undefined>
  /** Names a common mistake with the key, if it and this wrong base string together lead to the signature. */
  secondMistakeOf(baseString: string): Promise<Mistake | undefined>
  /** The mistake if no other is found, because the signature itself shows it. */
  readonly otherwise?: Mistake
}
