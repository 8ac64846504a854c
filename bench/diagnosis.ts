import { generateKeyPairSync } from 'node:crypto'
import {
  diagnose,
  importControlKey,
  importPrivateKey,
  importPublicKey,
  sign,
  type SigningKey,
  type VerificationKey,
} from '../packages/signing/src/index.ts'
import { type Comparison, limited } from './comparison.ts'

const ROUNDS = 21
const URL = 'https://gate.example.com/gate/api/v4/transfer/1144?lang=en'
const FORM = [
  ['amount', '10.42'],
  ['card_printed_name', 'JANE DOE'],
  ['client_orderid', '902B4FF5'],
  ['credit_card_number', '4444555566661111'],
  ['currency', 'EUR'],
  ['destination-card-no', '4539031736475434'],
  ['order_desc', 'Order 1, 50% of it = half'],
  ['redirect_url', 'https://shop.example.com/return?order=1'],
] as const
const JSON_BODY = JSON.stringify({
  reportIdentifier: 'transactions-list',
  reportEncode: 'UTF-8',
  reportCsvDelimiter: ',',
  reportFormat: 'CSV',
  inputReportParameters: [{ type: 'INPUT_TEXT', name: 'dateFrom', value: '2026-10-01' }],
  outputReportParameters: [],
  filters: { gates: [], companies: [1, 2], currencies: [978] },
})
/** As large as a diagnosis takes: 8 KiB in 90 parameters. */
const LARGE_FORM = Array.from({ length: 90 }, (_, at) => [`a${at}`, 'x y'.repeat(9)] as const)

/** A body whose variants are long: most of its characters have to be encoded. */
const HOSTILE_JSON = JSON.stringify(
  Object.fromEntries(Array.from({ length: 95 }, (_, at) => [`n${at}é`, { a: "'! ".repeat(20) }])),
)

/** Measures the processor time that it takes to try every mistake, for a signature that none explains. */
export async function measureDiagnosis(): Promise<readonly Comparison[]> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 4096,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const control = await importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
  const others = [
    await importControlKey('0C1FB5D0-0000+4000/8000-000000000000'),
    await importControlKey('another'),
  ]
  const rsa = await importPrivateKey(privateKey)
  const rsaKeys = [await importPublicKey(publicKey)]
  const measured: readonly (readonly [
    string,
    number,
    SigningKey,
    readonly VerificationKey[],
    object,
  ])[] = [
    ['HMAC-SHA1, form', 20, control, others, { form: FORM }],
    ['HMAC-SHA1, JSON', 20, control, others, { body: JSON_BODY, contentType: 'application/json' }],
    ['HMAC-SHA1, 8 KiB in 90 fields', 100, control, others, { form: LARGE_FORM }],
    [
      'HMAC-SHA1, 7 KiB of hostile JSON',
      100,
      control,
      others,
      { body: HOSTILE_JSON, contentType: 'application/json' },
    ],
    ['RSA-SHA256 4096, form', 200, rsa, rsaKeys, { form: FORM }],
  ]
  const comparisons: Comparison[] = []
  for (const [name, millisecondsMax, key, keys, request] of measured) {
    const took = await medianOf(key, keys, request)
    comparisons.push(
      limited(`Diagnosis, ${name}`, 'ms of processor time', took, 'the limit', millisecondsMax),
    )
  }
  return comparisons
}

async function medianOf(
  key: SigningKey,
  keys: readonly VerificationKey[],
  request: object,
): Promise<number> {
  const sent = { method: 'POST', url: URL, ...request }
  const signed = await sign(sent, { consumerKey: 'merchant-login', key })
  const received = {
    method: 'POST',
    // Signed for another address, so that no mistake explains the signature.
    url: URL.replace('gate.example.com', 'elsewhere.example.com'),
    authorization: signed.authorization,
    contentType: signed.headers['Content-Type'],
    body: new TextEncoder().encode(String(signed.body)),
  }
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.threadCpuUsage()
    const { outcome, mistake } = await diagnose(received, { keys })
    const { user, system } = process.threadCpuUsage(before)
    took.push((user + system) / 1000)
    const isUnexplained = outcome === 'unknown' || mistake?.code === 'base-string-other'
    if (!isUnexplained) throw new Error(`expected no known mistake, got ${outcome}`)
  }
  return took.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN
}
