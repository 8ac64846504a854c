import { percentEncode } from '@counterfoil/signing'
import { type Change, hmac, type Pairs, rsa, signBase } from './sign-request.ts'

type Step = (text: string) => string

/** A login that does not exist. */
export const UNKNOWN_LOGIN: Change = {
  oauth: ({ oauth_nonce: random }) => ({ oauth_consumer_key: `nobody-${random}` }),
}

/** Changes the nonce before it is signed. */
export function nonce(change: Step): Change {
  return { oauth: ({ oauth_nonce: random = '' }) => ({ oauth_nonce: change(random) }) }
}

/** Changes each value of the header. */
export function eachValue(change: Step): (pairs: Pairs) => Pairs {
  return (pairs) => pairs.map(([name, value]) => [name, change(value)])
}

/** Changes one value of the header. */
export function replaced(name: string, change: Step): (pairs: Pairs) => Pairs {
  return (pairs) => pairs.map(([own, value]) => [own, own === name ? change(value) : value])
}

/** Writes percent-encoding in lower case. */
export function lowerHex(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (encoded) => encoded.toLowerCase())
}

/** Writes parameters as a query or a form. */
export function asForm(pairs: Pairs): string {
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

/** Reverses the order of parameters. */
export function unsorted(parameters: string): string {
  return parameters.split('&').toReversed().join('&')
}

/** Sends a nonce with a percent sign, whose value is encoded in another way in the signed parameters. */
export function reencoded(change: Step): Change {
  const encoded = /(?<=oauth_nonce=)[^&]*/
  return {
    ...nonce((random) => `${random}%/`),
    signed: { parameters: (text) => text.replace(encoded, (value) => change(value)) },
  }
}

/** Changes the bytes of the right signature. */
export function resigned(change: (bytes: Buffer) => Uint8Array): Change {
  return {
    sign: (base, secret) => {
      const right = Buffer.from(signBase(base, secret), 'base64')
      return Buffer.from(change(right)).toString('base64')
    },
  }
}

/** Signs with another key than the control key and an ampersand, or with another hash. */
export function hmacWith(keyOf: Step, hash = 'sha1'): Change {
  return {
    needs: 'HMAC-SHA1',
    sign: (base, secret) => {
      if (secret.method !== 'HMAC-SHA1') return ''
      return hmac(base, keyOf(percentEncode(secret.controlKey)), hash)
    },
  }
}

/** Signs with another hash or padding. */
export function rsaWith(hash: string, isPss = false): Change {
  return {
    needs: 'RSA-SHA256',
    sign: (base, secret) => {
      return secret.method === 'RSA-SHA256' ? rsa(base, secret.privateKey, hash, isPss) : ''
    },
  }
}
