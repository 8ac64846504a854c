import { expect, it } from 'vitest'
import { type BodyHash, importControlKey, sign, type SigningStep, signingSteps } from '../index.ts'

const CONTROL_KEY = 'a control+key'
const JSON_TYPE = 'application/json'

/** Explains a request of the key above. */
async function explain(body: string, contentType: string, bodyHash?: BodyHash) {
  const key = await importControlKey(CONTROL_KEY)
  const request = { method: 'post', url: 'https://Example.com/b?q=%7e', body, contentType }
  const signed = await sign(
    request,
    { consumerKey: 'shop', key },
    { ...(bodyHash && { bodyHash }) },
  )
  return signingSteps({ ...request, key, controlKeyLength: CONTROL_KEY.length, signed })
}

function textsOf(steps: readonly SigningStep[], name: SigningStep['name']): string[] {
  const step = steps.find((one) => one.name === name)
  return step?.lines.map((line) => line.map(({ text }) => text).join('|')) ?? []
}

it('marks each parameter by its source, and takes an oauth_* parameter once, as one of the header', async () => {
  const key = await importControlKey(CONTROL_KEY)
  const nonce = 'the-nonce'
  const form = [
    ['b', 'x y'],
    ['oauth_nonce', nonce],
    ['a', "O'Brien"],
    ['a', ''],
  ] as const
  const url = `https://Example.com/b?q=%d0%b6+1&oauth_nonce=${nonce}`
  const request = { method: 'POST', url, form }
  const signed = await sign(request, { consumerKey: 'shop', key }, { nonce })
  const steps = signingSteps({ ...request, key, controlKeyLength: 13, signed })
  const lines = textsOf(steps, 'gather')
  expect(lines.filter((line) => line.includes(nonce))).toEqual([`header|oauth_nonce|${nonce}`])
  expect(lines.filter((line) => !line.startsWith('header|'))).toEqual([
    'query|q|ж 1',
    'form|b|x y',
    "form|a|O'Brien",
    'form|a|',
  ])
  expect(textsOf(steps, 'base-string').slice(0, 2)).toEqual([
    'method|POST',
    'URL|https://example.com/b',
  ])
})

for (const [hash, sentence, clause] of [
  ['SHA-1', 'Compute SHA-1 of', 'OAuth Request Body Hash 1.0, 3.2'],
  [
    'SHA-256',
    'Compute SHA-256 of',
    'OAuth Request Body Hash 1.0, 3.2, with SHA-256 in place of SHA-1',
  ],
] as const) {
  it(`explains a body hash with ${hash}`, async () => {
    const [step] = await explain('{}', JSON_TYPE, hash)
    expect(step).toMatchObject({ name: 'body-hash', clause })
    expect(step?.sentence).toContain(sentence)
  })
}

it('never shows the key', async () => {
  const shown = JSON.stringify(await explain('{}', JSON_TYPE))
  expect(shown).not.toContain(CONTROL_KEY)
  expect(shown).not.toContain(encodeURIComponent(CONTROL_KEY))
})
