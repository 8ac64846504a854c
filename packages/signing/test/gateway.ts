import {
  type Consumer,
  importControlKey,
  importPrivateKey,
  importPublicKey,
  type NonceOutcome,
  type NonceUse,
  type Parameter,
  parseAuthorization,
  type RequestToSign,
  type RequestToVerify,
  sign,
  type SignOptions,
  type Verifier,
  verify,
} from '../src/index.ts'
import { writeAuthorization } from '../src/parameters/header.ts'
import { encodeParameters } from '../src/parameters/parameters.ts'
import { KEYS } from './vectors.ts'

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

export const NOW = 1_700_000_000
export const FORM_TYPE = 'application/x-www-form-urlencoded'
export const key = await importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
export const otherKey = await importControlKey('0C1FB5D0-0000-4000-8000-000000000000')
export const privateKey = await importPrivateKey(KEYS.private.pkcs8)
export const publicKey = await importPublicKey(KEYS.public.spki)
export const credentials = { consumerKey: 'merchant-login', key }
export const json = {
  method: 'POST',
  url: 'https://gate.example.com/gate-ui/services/v2/rpt-engine',
  contentType: 'application/json',
  body: '{"reportIdentifier":"r1"}',
}
export const form = {
  method: 'POST',
  url: 'https://gate.example.com/gate/api/v4/payout/1144?lang=en',
  contentType: FORM_TYPE,
  body: 'amount=10.42&currency=USD&order_desc=a%20b',
}

/** Writes an Authorization header. */
export function formatAuthorization(parameters: readonly Parameter[]): string {
  return writeAuthorization(encodeParameters(parameters), undefined)
}

/** Signs a request, changes it, and verifies the result. */
export async function roundTrip(change: {
  readonly request?: RequestToSign
  readonly options?: SignOptions
  readonly consumer?: Consumer
  readonly header?: (parameters: readonly Parameter[]) => readonly Parameter[]
  readonly received?: Partial<RequestToSign & { authorization: RequestToVerify['authorization'] }>
}) {
  const request = change.request ?? form
  const options = { timestampSeconds: NOW, ...change.options }
  const { authorization } = await sign(request, credentials, options)
  const { parameters } = parseAuthorization(authorization)
  const header = change.header ? formatAuthorization(change.header(parameters)) : authorization
  const arriving = {
    ...received(request, header),
    ...received({ ...request, ...change.received }, header),
  }
  const sent =
    change.received && 'authorization' in change.received
      ? { ...arriving, authorization: change.received.authorization }
      : arriving
  return await verify(sent, gateway(change.consumer ?? { keys: [key] }, NOW))
}

export function replace(name: string, value: string) {
  return (parameters: readonly Parameter[]): Parameter[] =>
    parameters.map((parameter) => (parameter[0] === name ? [name, value] : parameter))
}

export function without(name: string) {
  return (parameters: readonly Parameter[]) =>
    parameters.filter((parameter) => parameter[0] !== name)
}
