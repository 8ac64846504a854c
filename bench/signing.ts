import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  timingSafeEqual,
  verify as nodeVerify,
} from 'node:crypto'
import OAuth from 'oauth-1.0a'
import {
  encodeForm,
  importControlKey,
  importPrivateKey,
  importPublicKey,
  type Parameter,
  sign,
  type SigningKey,
  type VerificationKey,
  verify,
} from '../packages/signing/src/index.ts'
import { compare, type Comparison } from './compare.ts'

const ROUNDS = 15
const ROUND_MS = 120
const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'
const CONSUMER_KEY = 'merchant-login'
const FORM: readonly Parameter[] = [
  ['amount', '10.42'],
  ['card_printed_name', 'JANE DOE'],
  ['client_orderid', '902B4FF5'],
  ['credit_card_number', '4444555566661111'],
  ['currency', 'EUR'],
  ['deposit2card', 'false'],
  ['destination-card-no', '4539031736475434'],
  ['ipaddress', '203.0.113.7'],
  ['order_desc', 'Order 1, 50% of it = half'],
  ['redirect_url', 'https://shop.example.com/return?order=1'],
]
const REQUEST = {
  method: 'POST',
  url: 'https://gate.example.com/gate/api/v4/transfer/1144',
  form: FORM,
} as const

/** Signing and verifying the form, with a base string and its signature. */
interface SignedForm {
  readonly baseString: string
  readonly signature: Buffer
  readonly sign: () => Promise<unknown>
  readonly verify: () => Promise<void>
}

/**
 * Compares signing and verifying a form of ten parameters with the bare `node:crypto` operation on a ready base string,
 * and signing with `oauth-1.0a`. Ours parses and builds everything again each time, except keys.
 */
export async function measureSigning(): Promise<readonly Comparison[]> {
  const controlKey = await importControlKey(CONTROL_KEY)
  const hmac = await signForm(controlKey, controlKey)
  const digest = () => createHmac('sha1', `${CONTROL_KEY}&`).update(hmac.baseString)
  const pem = generateKeyPairSync('rsa', {
    modulusLength: 4096,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const privateKey = await importPrivateKey(pem.privateKey)
  const rsa = await signForm(privateKey, await importPublicKey(pem.publicKey))
  const bareKey = createPublicKey(pem.publicKey)
  const rsaText = Buffer.from(rsa.baseString)
  const signing = { name: 'HMAC-SHA1 signing', unit: 'signatures/s', ours: hmac.sign }
  const verifying = { unit: 'verifications/s' }
  const ready = 'node:crypto HMAC of a ready base string'
  const contests = [
    {
      ...signing,
      referenceName: ready,
      reference: () => digest().digest('base64'),
      atLeast: 0.25,
    },
    {
      ...verifying,
      name: 'HMAC-SHA1 verifying',
      ours: hmac.verify,
      referenceName: `${ready}, compared in constant time`,
      reference: () => requireValid(timingSafeEqual(digest().digest(), hmac.signature)),
      atLeast: 0.2,
    },
    { ...signing, referenceName: 'oauth-1.0a', reference: signWithOauth10a(), atLeast: 2 },
    {
      ...verifying,
      name: 'RSA-SHA256 4096 verifying',
      ours: rsa.verify,
      referenceName: 'node:crypto verify of a ready base string',
      reference: () => requireValid(nodeVerify('sha256', rsaText, bareKey, rsa.signature)),
      atLeast: 0.8,
    },
  ]
  const comparisons: Comparison[] = []
  for (const { ours, reference, ...compared } of contests) {
    const rates = [() => perSecond(ours), () => perSecond(reference)] as const
    comparisons.push(await compare(compared, ROUNDS, ...rates))
  }
  return comparisons
}

async function signForm(key: SigningKey, verificationKey: VerificationKey): Promise<SignedForm> {
  const credentials = { consumerKey: CONSUMER_KEY, key }
  const { baseString, signature, authorization } = await sign(REQUEST, credentials)
  const received = {
    method: REQUEST.method,
    url: REQUEST.url,
    authorization,
    contentType: 'application/x-www-form-urlencoded',
    body: new TextEncoder().encode(encodeForm(FORM)),
  }
  const consumer = { keys: [verificationKey] }
  const verifier = {
    findConsumer: () => consumer,
    spendNonce: () => 'spent' as const,
    nowSeconds: () => Date.now() / 1000,
  }
  return {
    baseString,
    signature: Buffer.from(signature, 'base64'),
    sign: () => sign(REQUEST, credentials),
    verify: async () => requireValid((await verify(received, verifier)).ok),
  }
}

/** `oauth-1.0a` as its documentation shows it. */
function signWithOauth10a(): () => unknown {
  const oauth = new OAuth({
    consumer: { key: CONSUMER_KEY, secret: CONTROL_KEY },
    signature_method: 'HMAC-SHA1',
    hash_function: (baseString, key) => createHmac('sha1', key).update(baseString).digest('base64'),
  })
  const { method, url } = REQUEST
  const data = Object.fromEntries(FORM)
  return () => oauth.toHeader(oauth.authorize({ url, method, data }))
}

function requireValid(isValid: boolean): void {
  if (!isValid) throw new Error('expected a valid signature')
}

/** Repeats an operation for the time of a round. */
async function perSecond(operation: () => unknown): Promise<number> {
  const startedAt = performance.now()
  let done = 0
  for (; done % 100 > 0 || performance.now() - startedAt < ROUND_MS; done += 1) {
    const result = operation()
    // A synchronous operation does not pay for a turn of the event loop.
    if (result instanceof Promise) await result
  }
  return (done * 1000) / (performance.now() - startedAt)
}
