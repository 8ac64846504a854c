import { describe, expect, it } from 'vitest'
import { readQuery, signatureBaseString } from '../parameters/base-string.ts'
import { readForm } from '../parameters/form.ts'
import { parseAuthorization } from '../parameters/header.ts'
import { importControlKey, signerFor } from '../keys/keys.ts'
import {
  encodeParameters,
  gatherParameters,
  normalizeParameters,
  sortAndJoin,
} from '../parameters/parameters.ts'

/** RFC 5849, 3.1, 3.4.1.1 and 3.4.1.3.2, with the signature of erratum 2550. The token has a secret. */
const EXAMPLE = {
  method: 'POST',
  url: 'http://example.com/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b',
  contentType: 'application/x-www-form-urlencoded',
  body: 'c2&a3=2+q',
  authorization: [
    'OAuth realm="Example"',
    'oauth_consumer_key="9djdj82h48djs9d2"',
    'oauth_token="kkk9d7dh3k39sjv7"',
    'oauth_signature_method="HMAC-SHA1"',
    'oauth_timestamp="137131201"',
    'oauth_nonce="7d8f3e4a"',
    'oauth_signature="r6%2FTJjbCOr97%2F%2BUU0NsvSne7s5g%3D"',
  ].join(', '),
  parameterString:
    'a2=r%20b&a3=2%20q&a3=a&b5=%3D%253D&c%40=&c2=&oauth_consumer_key=9djdj82h48djs9d2' +
    '&oauth_nonce=7d8f3e4a&oauth_signature_method=HMAC-SHA1&oauth_timestamp=137131201' +
    '&oauth_token=kkk9d7dh3k39sjv7',
  baseString:
    'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D' +
    '%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a' +
    '%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
}

/** RFC 5849, 1.2: the request without a token. */
const INITIATE = {
  method: 'POST',
  url: 'https://photos.example.net/initiate',
  signature: '74KNZJeDHnMBp0EMJ9ZHt/XKycU=',
  parameters: [
    ['oauth_consumer_key', 'dpf43f3p2l4k3l03'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '137131200'],
    ['oauth_nonce', 'wIjqoS'],
    ['oauth_callback', 'http://printer.example.com/ready'],
  ],
} as const

describe('RFC 5849', () => {
  it('3.4.1: every intermediate', async () => {
    const { parameters, realm } = parseAuthorization(EXAMPLE.authorization)
    expect(realm).toBe('Example')
    const { url, body } = EXAMPLE
    const gathered = gatherParameters(encodeParameters(parameters), readQuery(url), readForm(body))
    expect(gathered).toEqual([
      ['oauth_consumer_key', '9djdj82h48djs9d2'],
      ['oauth_token', 'kkk9d7dh3k39sjv7'],
      ['oauth_signature_method', 'HMAC-SHA1'],
      ['oauth_timestamp', '137131201'],
      ['oauth_nonce', '7d8f3e4a'],
      ['b5', '%3D%253D'],
      ['a3', 'a'],
      ['c%40', ''],
      ['a2', 'r%20b'],
      ['c2', ''],
      ['a3', '2%20q'],
    ])
    const parameterString = sortAndJoin(gathered)
    expect(parameterString).toBe(EXAMPLE.parameterString)
    expect(signatureBaseString({ ...EXAMPLE, parameterString })).toBe(EXAMPLE.baseString)
  })

  it('1.2: the signature of a request without a token', async () => {
    const { method, url, signature, parameters } = INITIATE
    const key = await importControlKey('kd94hf93k423kf44')
    const parameterString = normalizeParameters(parameters)
    const baseString = signatureBaseString({ method, url, parameterString })
    expect(await signerFor(key)(baseString)).toBe(signature)
  })
})
