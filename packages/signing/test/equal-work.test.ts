import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Consumer, importControlKey, METHODS, sign, verify } from '../src/index.ts'
import { gateway, received } from './gateway.ts'
import { vector } from './vectors.ts'

const NOW = 1_318_622_958
const rsa = vector('seed-payout-rsa-sha256')
const hmac = vector('seed-payout-hmac-sha1')
const keys = {
  'RSA-SHA256': await rsa.verificationKey(),
  'HMAC-SHA1': await hmac.verificationKey(),
}
const wrong = await importControlKey('wrong')

afterEach(() => {
  vi.restoreAllMocks()
})

/** Requests of which only the reason to refuse them differs. */
async function refusals(method: 'RSA-SHA256' | 'HMAC-SHA1') {
  const { request, authorization } = method === 'RSA-SHA256' ? rsa : hmac
  const forged = received({ ...request, body: 'amount=99.42' }, authorization)
  const known = (consumer: Consumer) => () => verify(forged, gateway(consumer, NOW))
  const key = keys[method]
  const otherKey = method === 'RSA-SHA256' ? keys['HMAC-SHA1'] : keys['RSA-SHA256']
  return {
    unknown: () => verify(forged, gateway({ keys: [] }, NOW, 'someone-else')),
    withoutKey: known({ keys: [otherKey] }),
    oneKey: known({ keys: [key] }),
    twoKeys: known({ keys: [key, key] }),
    bodyHashMissing: known({ keys: [key], bodyHashRequired: true }),
  }
}

describe('an unknown login and a wrong signature', () => {
  for (const method of ['RSA-SHA256', 'HMAC-SHA1'] as const) {
    it(`cost the same number of ${method} checks`, async () => {
      for (const refuse of Object.values(await refusals(method))) {
        const check = vi.spyOn(METHODS[method], 'verify')
        expect(await refuse()).toMatchObject({ ok: false })
        expect(check).toHaveBeenCalledTimes(2)
        vi.restoreAllMocks()
      }
    })

    it(`cost about the same time with ${method}`, async () => {
      const runs = Object.values(await refusals(method)).map((refuse) => ({
        refuse,
        timesMs: [] as number[],
      }))
      for (let round = 0; round < 150; round += 1) {
        for (const { refuse, timesMs } of runs) {
          const start = performance.now()
          await refuse()
          timesMs.push(performance.now() - start)
        }
      }
      const medians = runs.map(({ timesMs }) => timesMs.toSorted((a, b) => a - b)[75] ?? 0)
      expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(1.6)
    })
  }

  it('leave nothing of a key in what comes back', async () => {
    const { request, nonce, timestampSeconds, signature } = hmac
    const credentials = { consumerKey: 'merchant-login', key: wrong }
    const { authorization } = await sign(request, credentials, { nonce, timestampSeconds })
    const consumer = { keys: [keys['HMAC-SHA1']] }
    const verification = await verify(received(request, authorization), gateway(consumer, NOW))
    expect(verification).toMatchObject({ ok: false, step: 'signature' })
    expect(JSON.stringify(verification)).not.toContain(signature)
  })
})
