import { runtime } from '#crypto'
import { percentEncode } from '../encode.ts'
import { type ControlKey, controlKeyText, type VerificationKey } from '../keys.ts'
import { METHODS } from '../methods.ts'
import { CONTROL_KEY_MISTAKES } from './control-key-mistakes.ts'
import type { Evidence } from './evidence.ts'
import { HMAC_MISTAKES, isCode } from './hmac-mistakes.ts'
import { type Mistake, publicPart } from './mistakes.ts'

/** The mistakes with the key that often come together with another: the first way of each. */
const SECOND_MISTAKES = CONTROL_KEY_MISTAKES.filter(({ code }) => {
  return code === 'key-without-ampersand' || code === 'key-with-line-end'
})

/** Looks at a signature of HMAC-SHA1 with the control keys of a login. */
export function hmacEvidence(
  keys: readonly VerificationKey[],
  signature: Uint8Array,
  login: string,
): Evidence {
  const controlKeys = keys.filter((key) => key.kind === 'control')
  return {
    async isOf(baseString) {
      for (const key of controlKeys) {
        if (await METHODS['HMAC-SHA1'].verify(baseString, signature, key)) return true
      }
      return false
    },

    async mistakeOf(baseString) {
      for (const key of controlKeys) {
        const mistake =
          (await keyMistake(key, baseString, signature, login)) ??
          (await hmacMistake(key, baseString, signature))
        if (mistake) return mistake
      }
      return undefined
    },

    async secondMistakeOf(baseString) {
      for (const key of controlKeys) {
        for (const mistake of SECOND_MISTAKES) {
          const [secret = ''] = mistake.keys(controlKeyText(key), login)
          if (await isSignedWith(secret, baseString, signature)) return publicPart(mistake)
        }
      }
      return undefined
    },
  }
}

async function keyMistake(
  key: ControlKey,
  baseString: string,
  signature: Uint8Array,
  login: string,
): Promise<Mistake | undefined> {
  for (const mistake of CONTROL_KEY_MISTAKES) {
    for (const secret of mistake.keys(controlKeyText(key), login)) {
      if (await isSignedWith(secret, baseString, signature)) return publicPart(mistake)
    }
  }
  return undefined
}

async function isSignedWith(
  secret: string | Uint8Array,
  baseString: string,
  signature: Uint8Array,
): Promise<boolean> {
  const hmac = await runtime.importHmac('SHA-1', secret)
  return isCode(await hmac.mac(baseString), signature)
}

async function hmacMistake(
  key: ControlKey,
  baseString: string,
  signature: Uint8Array,
): Promise<Mistake | undefined> {
  const hmacKey = `${percentEncode(controlKeyText(key))}&`
  for (const mistake of HMAC_MISTAKES) {
    for (const code of await mistake.codes(baseString, hmacKey)) {
      if (isCode(code, signature)) return publicPart(mistake)
    }
  }
  return undefined
}
