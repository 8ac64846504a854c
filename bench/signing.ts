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
import type { Comparison } from './comparison.ts'
import { takeTurns } from './rounds.ts'

const ROUNDS = 15
const ROUND_MS = 120
const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'
const CONSUMER_KEY = 'merchant-login'
const METHOD = 'POST'
const URL = 'https://gate.example.com/gate/api/v4/transfer/1144'
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

/** Runs one operation `times` times in a row. */
type Work = (times: number) => Promise<void>

interface Contest {
  readonly name: string
  readonly unit: string
  readonly ours: Work
  readonly referenceName: string
  readonly reference: Work
  readonly atLeast: number
}

/**
 * Compares signing and verifying a form of ten parameters with the bare `node:crypto` operation on a ready base string,
 * and signing with `oauth-1.0a`. Ours parses and builds everything again each time, except keys.
 */
export async function measureSigning(): Promise<readonly Comparison[]> {
  const contests = [...(await hmacContests()), await rsaContest()]
  const comparisons: Comparison[] = []
  // One after the other, so that each operation has both cores.
  for (const contest of contests) comparisons.push(await compare(contest))
  return comparisons
}

async function hmacContests(): Promise<readonly Contest[]> {
  const key = await importControlKey(CONTROL_KEY)
  const ours = await signingAndVerifying(key, key)
  const hmacKey = `${CONTROL_KEY}&`
  const expectedDigest = Buffer.from(ours.signature, 'base64')
  const bareSigning = repeat(() => {
    createHmac('sha1', hmacKey).update(ours.baseString).digest('base64')
  })
  const bareVerifying = repeat(() => {
    const digest = createHmac('sha1', hmacKey).update(ours.baseString).digest()
    if (!timingSafeEqual(digest, expectedDigest)) throw new Error('expected a valid signature')
  })
  return [
    {
      name: 'HMAC-SHA1 signing',
      unit: 'signatures/s',
      ours: ours.signing,
      referenceName: 'node:crypto HMAC of a ready base string',
      reference: bareSigning,
      atLeast: 0.25,
    },
    {
      name: 'HMAC-SHA1 verifying',
      unit: 'verifications/s',
      ours: ours.verifying,
      referenceName: 'node:crypto HMAC of a ready base string, compared in constant time',
      reference: bareVerifying,
      atLeast: 0.2,
    },
    {
      name: 'HMAC-SHA1 signing',
      unit: 'signatures/s',
      ours: ours.signing,
      referenceName: 'oauth-1.0a',
      reference: signingWithOauth10a(),
      atLeast: 2,
    },
  ]
}

async function rsaContest(): Promise<Contest> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 4096,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const ours = await signingAndVerifying(
    await importPrivateKey(privateKey),
    await importPublicKey(publicKey),
  )
  const bareKey = createPublicKey(publicKey)
  const text = Buffer.from(ours.baseString)
  const signature = Buffer.from(ours.signature, 'base64')
  return {
    name: 'RSA-SHA256 4096 verifying',
    unit: 'verifications/s',
    ours: ours.verifying,
    referenceName: 'node:crypto verify of a ready base string',
    reference: repeat(() => {
      if (!nodeVerify('sha256', text, bareKey, signature))
        throw new Error('expected a valid signature')
    }),
    atLeast: 0.8,
  }
}

/** Our two operations on the form, with the base string and the signature. */
async function signingAndVerifying(key: SigningKey, verificationKey: VerificationKey) {
  const request = { method: METHOD, url: URL, form: FORM }
  const credentials = { consumerKey: CONSUMER_KEY, key }
  const signed = await sign(request, credentials)
  const received = {
    method: METHOD,
    url: URL,
    authorization: signed.authorization,
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
    baseString: signed.baseString,
    signature: signed.signature,
    signing: async (times: number) => {
      for (let done = 0; done < times; done += 1) await sign(request, credentials)
    },
    verifying: async (times: number) => {
      for (let done = 0; done < times; done += 1) {
        const verification = await verify(received, verifier)
        if (!verification.ok) throw new Error(verification.reason)
      }
    },
  }
}

/** `oauth-1.0a` as its documentation shows it. */
function signingWithOauth10a(): Work {
  const oauth = new OAuth({
    consumer: { key: CONSUMER_KEY, secret: CONTROL_KEY },
    signature_method: 'HMAC-SHA1',
    hash_function: (baseString, key) => createHmac('sha1', key).update(baseString).digest('base64'),
  })
  const data = Object.fromEntries(FORM)
  return repeat(() => oauth.toHeader(oauth.authorize({ url: URL, method: METHOD, data })))
}

function repeat(operation: () => unknown): Work {
  return async (times) => {
    for (let done = 0; done < times; done += 1) operation()
    await Promise.resolve()
  }
}

/** Measures ours and the reference in turns, so that a noisy machine disturbs both alike. */
async function compare({ ours, reference, ...contest }: Contest): Promise<Comparison> {
  const oursTimes = await timesFor(ours)
  const referenceTimes = await timesFor(reference)
  const rates = await takeTurns(
    ROUNDS,
    () => perSecond(ours, oursTimes),
    () => perSecond(reference, referenceTimes),
  )
  return { ...contest, ...rates }
}

/** Measures how many operations fit into a round, and warms them up. */
async function timesFor(work: Work): Promise<number> {
  await perSecond(work, 2000)
  return Math.ceil(((await perSecond(work, 2000)) * ROUND_MS) / 1000)
}

async function perSecond(work: Work, times: number): Promise<number> {
  const start = performance.now()
  await work(times)
  return (times * 1000) / (performance.now() - start)
}
