import {
  type Consumer,
  type NonceOutcome,
  type NonceUse,
  type RequestToVerify,
  type Verifier,
} from '../src/index.ts'

const utf8 = new TextEncoder()

/** Creates a verifier that knows one login, never forgets a nonce, and whose clock stands still. */
export function gateway(
  consumer: Consumer,
  nowSeconds: number,
  login = 'merchant-login',
): Verifier & { readonly spent: readonly NonceUse[] } {
  const spent: NonceUse[] = []
  return {
    spent,
    nowSeconds: () => nowSeconds,
    findConsumer: (consumerKey) => (consumerKey === login ? consumer : undefined),
    spendNonce(use): NonceOutcome {
      const text = JSON.stringify(use)
      if (spent.some((before) => JSON.stringify(before) === text)) return 'replayed'
      spent.push(use)
      return 'spent'
    },
  }
}

/** Converts a signed request to the request that the gateway receives. */
export function received(
  request: {
    readonly method: string
    readonly url: string | URL
    readonly contentType?: string | undefined
    readonly body?: Uint8Array | string | undefined
  },
  authorization: string | undefined,
): RequestToVerify {
  const { body = '' } = request
  return {
    ...request,
    authorization,
    body: typeof body === 'string' ? utf8.encode(body) : body,
  }
}
