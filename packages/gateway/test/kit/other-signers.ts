import { execFileSync, spawnSync } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  encodeForm,
  formatAuthorization,
  normalizeParameters,
  type Parameter,
  signatureBaseString,
} from '@counterfoil/signing'
import NodeOAuth1 from 'node-oauth1'
import OAuth from 'oauth-1.0a'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  byRef,
  CARDS,
  findEndpoints,
  type Form,
  FORM_TYPE,
  operationUrl,
  type OwnEndpoint,
  reported,
} from './operate.ts'
import type { RunningGateway } from './running-gateway.ts'

const HARD = "Заказ №1: 50% + 'tax' = (ok)! *~ a&b ทดสอบ 😀"

export const CARD_EXPIRY = { expire_month: '12', expire_year: '2099' }
const { 'destination-card-no': DESTINATION, ...ORDER } = byRef('', {
  id: 0,
  merchantId: 0,
  currency: '',
})

/** The form of each operation, by its path. */
export const OPERATION_FORMS = {
  'v2/pan-eligibility/send': () => ({
    'sending-card-number': CARDS.approved,
    'card-printed-name': HARD,
    ...CARD_EXPIRY,
  }),
  'v4/transfer': () => ({
    ...ORDER,
    ...CARD_EXPIRY,
    credit_card_number: CARDS.approved,
    card_printed_name: HARD,
    cvv2: '739',
    'destination-card-no': DESTINATION,
  }),
  'v4/transfer-by-ref': () => ({ ...ORDER, 'destination-card-no': DESTINATION }),
  'v4/payout': () => ({ ...ORDER, account_number: 'LV80BANK0000435195001', bank_name: HARD }),
} as const satisfies Record<string, () => Form>

/**
 * Tests operations that other programs and libraries sign.
 *
 * @param isTried chooses the cases by the number of the signer, of the body and of the path
 */
export function describeSigners(
  gateway: RunningGateway,
  isTried: (signer: number, body: number, path: number) => boolean,
): void {
  const { sandbox } = gateway
  let own: OwnEndpoint
  beforeAll(async () => {
    ;({ own } = await findEndpoints(gateway.engine, sandbox.logins.merchant))
  })

  /** Makes the Authorization header with another program or library. */
  type Signer = (url: string, form: readonly Parameter[]) => string

  const SIGNERS: Readonly<Record<string, Signer>> = {
    'oauth-1.0a': (url, form) => {
      const { login, controlKey } = sandbox.logins.merchant
      const oauth = new OAuth({
        consumer: { key: login, secret: controlKey },
        signature_method: 'HMAC-SHA1',
        hash_function: (baseString, key) =>
          createHmac('sha1', key).update(baseString).digest('base64'),
      })
      const data = Object.fromEntries(form)
      return oauth.toHeader(oauth.authorize({ url, method: 'POST', data })).Authorization
    },
    'node-oauth1': (url, form) => {
      const { controlKey } = sandbox.logins.merchant
      const parameters = [...form, ...oauthParameters('HMAC-SHA1')]
      const message = { action: url, method: 'POST', parameters }
      NodeOAuth1.SignatureMethod.sign(message, { consumerSecret: controlKey })
      const oauth = message.parameters.filter(([name]) => name.startsWith('oauth_'))
      return NodeOAuth1.getAuthorizationHeader('sandbox', oauth)
    },
    'openssl with HMAC-SHA1': (url, form) => {
      const { controlKey } = sandbox.logins.merchant
      const key = `key:${controlKey}&`
      return signWithOpenssl(url, form, 'HMAC-SHA1', ['-sha1', '-mac', 'HMAC', '-macopt', key])
    },
    'openssl with RSA-SHA256': (url, form) => {
      const keyFile = join(sandbox.folder, 'merchant.pem')
      writeFileSync(keyFile, sandbox.logins.merchant.privateKey, { mode: 0o600 })
      return signWithOpenssl(url, form, 'RSA-SHA256', ['-sha256', '-sign', keyFile])
    },
  }

  function oauthParameters(method: string): Parameter[] {
    return [
      ['oauth_consumer_key', sandbox.logins.merchant.login],
      ['oauth_nonce', randomUUID()],
      ['oauth_signature_method', method],
      ['oauth_timestamp', String(Math.floor(Date.now() / 1000))],
      ['oauth_version', '1.0'],
    ]
  }

  function signWithOpenssl(
    url: string,
    form: readonly Parameter[],
    method: string,
    how: readonly string[],
  ): string {
    const oauth = oauthParameters(method)
    const parameterString = normalizeParameters([...oauth, ...form])
    const input = signatureBaseString({ method: 'POST', url, parameterString })
    const signature = execFileSync('openssl', ['dgst', ...how, '-binary'], { input })
    return formatAuthorization([...oauth, ['oauth_signature', signature.toString('base64')]])
  }

  /** Returns the parameters of a header without the signature. */
  function signedIn(authorization: string): readonly Parameter[] {
    return [...authorization.matchAll(/(oauth_[a-z_]+)="([^"]*)"/g)]
      .map(([, name = '', value = '']): Parameter => [name, decodeURIComponent(value)])
      .filter(([name]) => name !== 'oauth_signature')
  }

  /** Sends a form. `repeated` returns the parameters of the header that the body repeats. */
  async function post(
    path: string,
    signer: Signer,
    change: Form,
    repeated: (signed: readonly Parameter[]) => readonly Parameter[],
  ) {
    const url = operationUrl(gateway, `${path}/${own.id}`)
    const form = Object.entries(change)
    const authorization = signer(url, form)
    const body = encodeForm([...form, ...repeated(signedIn(authorization))])
    const headers = { Authorization: authorization, 'Content-Type': FORM_TYPE }
    const answer = await fetch(url, { method: 'POST', headers, body })
    return { status: answer.status, text: await answer.text() }
  }

  const PATHS = Object.keys(OPERATION_FORMS) as (keyof typeof OPERATION_FORMS)[]
  const BODIES = {
    'without oauth_* in the form': () => [],
    'with oauth_* in the form': (signed: readonly Parameter[]) => signed,
  } as const

  describe.for(Object.keys(SIGNERS))('signed by %s', (name) => {
    const signerAt = Object.keys(SIGNERS).indexOf(name)
    const signer = SIGNERS[name]
    if (!signer) throw new Error('expected a signer')

    describe.for(Object.entries(BODIES))('%s', ([title, repeated]) => {
      const bodyAt = Object.keys(BODIES).indexOf(title)
      test.for(PATHS.filter((_, pathAt) => isTried(signerAt, bodyAt, pathAt)))(
        '%s',
        async (path, { skip }) => {
          const isMissing = spawnSync('openssl', ['version']).error !== undefined
          skip(name.startsWith('openssl') && isMissing, 'openssl is not installed')
          const orderId = `${name} ${path} ${title}`
          const { currency, ...form }: Form = {
            ...OPERATION_FORMS[path](),
            client_orderid: orderId,
          }
          const change = path.startsWith('v2')
            ? form
            : { ...form, currency: currency === undefined ? '' : own.currency, order_desc: HARD }
          const { status, text } = await post(path, signer, change, repeated)
          expect([status, text]).toMatchObject([200, expect.stringContaining('"serial-number"')])
          const columns = ['Merchant_OID', 'Order_description']
          const rows = await reported(gateway, sandbox.logins.merchant, columns)
          const descriptions = rows.filter((row) => row['Merchant_OID'] === orderId)
          const legs = path === 'v4/transfer' ? 2 : 1
          const description = path.startsWith('v2') ? '' : HARD
          expect(descriptions.map((row) => row['Order_description'])).toEqual(
            Array.from({ length: legs }, () => description),
          )
        },
      )
    })

    test('is refused with another oauth_* in the form', async ({ skip }) => {
      const isMissing = spawnSync('openssl', ['version']).error !== undefined
      skip(name.startsWith('openssl') && isMissing, 'openssl is not installed')
      const form = { ...byRef(`${name} others`, own) }
      const { status } = await post('v4/transfer-by-ref', signer, form, (signed) => {
        return signed.map(([parameter, value]): Parameter => [parameter, `${value}1`])
      })
      expect(status).toBe(403)
    })
  })
}
