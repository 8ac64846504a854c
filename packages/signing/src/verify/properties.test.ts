import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatAuthorization, gateway, received } from '../../test/gateway.ts'
import { KEYS } from '../../test/vectors.ts'
import { normalizeParameters, type Parameter, percentEncode } from '../parameters/parameters.ts'
import { parseAuthorization } from '../parameters/header.ts'
import { importControlKey, importPrivateKey, importPublicKey } from '../keys/keys.ts'
import { encodeForm, parseForm } from '../parameters/form.ts'
import { type RequestToSign, sign } from '../sign/sign.ts'
import { verify } from './verify.ts'

const NOW = 1_700_000_000
const controlKey = await importControlKey('B17F59B4-A7DC-41B4-8FF9-37D986B43D20')
const pairs = [
  { signing: controlKey, verifying: controlKey },
  {
    signing: await importPrivateKey(KEYS.private.pkcs8),
    verifying: await importPublicKey(KEYS.public.spki),
  },
] as const

const text = fc.string({ unit: 'binary', maxLength: 20 })
const name = text.filter((candidate) => !candidate.startsWith('oauth_'))
const parameters = fc.array(fc.tuple(name, text), { maxLength: 12 })
const pathText = fc.string({ maxLength: 20 }).map((part) => `p${percentEncode(part)}`)
const path = fc
  .array(pathText, { minLength: 1, maxLength: 5 })
  .map((parts) => `/${parts.join('/')}`)
const keyPair = fc.constantFrom(...pairs)
const example = fc.record({ keyPair, path, query: parameters, form: parameters })

interface Example {
  readonly keyPair: (typeof pairs)[number]
  readonly path: string
  readonly query: readonly Parameter[]
  readonly form: readonly Parameter[]
}

describe('any request', () => {
  it('is accepted as signed, with the signed parameters', async () => {
    await fc.assert(
      fc.asyncProperty(example, async (drawn) => {
        const { request, authorization } = await signed(drawn)
        const verifier = gateway({ keys: [drawn.keyPair.verifying] }, NOW)
        const verification = await verify(received(request, authorization), verifier)
        expect(verification).toMatchObject({ ok: true })
        const own = normalizeParameters([...drawn.query, ...drawn.form])
        const signedPairs = verification.ok ? verification.parameterString.split('&') : []
        const withoutProtocol = signedPairs.filter((pair) => !pair.startsWith('oauth_'))
        expect(withoutProtocol.join('&')).toBe(own)
      }),
    )
  })

  it('is refused with one byte of the path changed', async () => {
    await fc.assert(
      fc.asyncProperty(example, fc.nat(), visible(), async (drawn, at, byte) => {
        const { request, authorization } = await signed(drawn)
        // A path begins with a slash.
        const changedPath = `/${changeOne(drawn.path.slice(1), at, byte)}`
        fc.pre(changedPath !== drawn.path)
        const url = request.url.replace(`com${drawn.path}`, () => `com${changedPath}`)
        const verifier = gateway({ keys: [drawn.keyPair.verifying] }, NOW)
        const verification = await verify(received({ ...request, url }, authorization), verifier)
        expect(verification.ok).toBe(false)
      }),
    )
  })

  it('is refused with one byte of the form changed, unless the meaning is the same', async () => {
    await fc.assert(
      fc.asyncProperty(example, fc.nat(), fc.nat(255), async (drawn, at, byte) => {
        const { request, authorization } = await signed(drawn)
        const body = new TextEncoder().encode(request.body)
        fc.pre(body.length > 0 && body[at % body.length] !== byte)
        body[at % body.length] = byte
        fc.pre(!means(() => parseForm(body), parseForm(request.body)))
        const verifier = gateway({ keys: [drawn.keyPair.verifying] }, NOW)
        const verification = await verify(received({ ...request, body }, authorization), verifier)
        expect(verification.ok).toBe(false)
      }),
    )
  })

  it('is refused with one byte of the header changed, unless the meaning is the same', async () => {
    await fc.assert(
      fc.asyncProperty(example, fc.nat(), visible(), async (drawn, at, byte) => {
        const { request, authorization } = await signed(drawn)
        const changed = changeOne(authorization, at, byte)
        const before = parseAuthorization(authorization).parameters
        fc.pre(!means(() => parseAuthorization(changed).parameters, before))
        const verifier = gateway({ keys: [drawn.keyPair.verifying] }, NOW)
        const verification = await verify(received(request, changed), verifier)
        expect(verification.ok).toBe(false)
      }),
    )
  })

  it('gets a result and no exception, with any header and any form', async () => {
    const header = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.tuple(text, text)).map((made) => formatAuthorization(made)),
      fc
        .array(fc.tuple(fc.constantFrom('oauth_nonce', 'oauth_signature', 'realm'), text))
        .map((made) => `OAuth ${made.map(([left, right]) => `${left}="${right}"`).join(',')}`),
    )
    const url = fc.oneof(
      text,
      text.map((rest) => `https://gate.example.com/${rest}`),
    )
    await fc.assert(
      fc.asyncProperty(header, url, fc.uint8Array(), async (authorization, where, body) => {
        const contentType = 'application/x-www-form-urlencoded'
        const request = { method: 'POST', url: where, authorization, contentType, body }
        const verification = await verify(request, gateway({ keys: [controlKey] }, NOW))
        expect(verification).toMatchObject({
          ok: false,
          reason: expect.stringContaining('expected'),
        })
      }),
    )
  })
})

async function signed({ keyPair: { signing }, path: where, query, form }: Example) {
  const request = {
    method: 'POST',
    url: `https://gate.example.com${where}${query.length > 0 ? `?${encodeForm(query)}` : ''}`,
    contentType: 'application/x-www-form-urlencoded',
    body: encodeForm(form),
  } satisfies RequestToSign
  const credentials = { consumerKey: 'merchant-login', key: signing }
  const { authorization } = await sign(request, credentials, { timestampSeconds: NOW })
  return { request, authorization }
}

function visible() {
  return fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
}

function changeOne(original: string, at: number, character: string): string {
  const index = at % original.length
  return original.slice(0, index) + character + original.slice(index + 1)
}

/** Whether reading again returns the same parameters. */
function means(read: () => readonly Parameter[], before: readonly Parameter[]): boolean {
  try {
    return JSON.stringify(read()) === JSON.stringify(before)
  } catch {
    return false
  }
}
