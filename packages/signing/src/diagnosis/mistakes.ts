import { BODY_MISTAKES } from './body-mistakes.ts'
import { CONTROL_KEY_MISTAKES } from './control-key-mistakes.ts'
import { ENCODING_MISTAKES } from './encoding-mistakes.ts'
import { HMAC_MISTAKES } from './hmac-mistakes.ts'
import type { Mistake as AnyMistake } from './mistake.ts'
import { ORDER_MISTAKES } from './order-mistakes.ts'
import { PROTOCOL_MISTAKES } from './protocol-mistakes.ts'
import {
  REFUSAL_MISTAKE_CODES,
  type RefusalMistakeCode,
  refusalMistakeOf,
} from './refusal-mistakes.ts'
import { RSA_MISTAKES } from './rsa-mistakes.ts'
import { TEXT_MISTAKES } from './text-mistakes.ts'
import { URL_MISTAKES } from './url-mistakes.ts'

/** Mistakes that no single step shows: the keys and texts that the diagnosis compares. */
export const OTHER_MISTAKES = {
  text: {
    code: 'base-string-other',
    sentence: 'Your key is right, and you signed another base string than the gateway built.',
    fix: "Compare your base string with the gateway's, character by character.",
    clause: 'specification, Signature generation, step 5',
  },
  key: {
    code: 'key-other',
    sentence: "Your base string is right, and the signature is not by the login's key.",
    fix: 'Sign with the control key of this login in this environment: production and sandbox have different keys.',
    clause: 'specification, Credentials',
  },
} as const satisfies Readonly<Record<string, AnyMistake>>

const SIGNATURE_MISTAKES = [
  ...BODY_MISTAKES,
  ...PROTOCOL_MISTAKES,
  ...ENCODING_MISTAKES,
  ...ORDER_MISTAKES,
  ...URL_MISTAKES,
  ...TEXT_MISTAKES,
  ...CONTROL_KEY_MISTAKES,
  ...HMAC_MISTAKES,
  ...Object.values(RSA_MISTAKES),
  ...Object.values(OTHER_MISTAKES),
]

/** The code of a mistake that `diagnose` names. */
export type MistakeCode = (typeof SIGNATURE_MISTAKES)[number]['code'] | RefusalMistakeCode

/** A mistake that `diagnose` names. */
export type Mistake = AnyMistake<MistakeCode>

/**
 * Every mistake that `diagnose` names.
 *
 * @example
 * MISTAKES.find(({ code }) => code === 'encoding-plus-for-space')?.fix
 * // 'Write %20 for a space in what you sign.'
 */
export const MISTAKES: readonly Mistake[] = [
  ...SIGNATURE_MISTAKES.map((mistake) => publicPart<MistakeCode>(mistake)),
  ...REFUSAL_MISTAKE_CODES.map(refusalMistakeOf),
]

/** Returns the four texts of a mistake without the ways to make it. */
export function publicPart<Code extends MistakeCode>(mistake: AnyMistake<Code>): Mistake {
  const { code, sentence, fix, clause } = mistake
  return { code, sentence, fix, clause }
}
