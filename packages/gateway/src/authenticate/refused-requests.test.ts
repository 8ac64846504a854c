import { expect, test } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { type KeptRequest, RefusedRequests } from './refused-requests.ts'

/** Makes a refused request that names a login. Its body has some bytes. */
function refusal(requestId: string, login?: string, bodyBytes = 0): KeptRequest {
  return {
    requestId,
    atSeconds: 1_800_000_000,
    request: {
      method: 'POST',
      url: 'https://reports.example.com/report',
      authorization: ['OAuth x'],
      contentType: 'application/json',
      body: new Uint8Array(bodyBytes),
    },
    refused: {
      ok: false,
      step: 'signature',
      code: 'signature-mismatch',
      reason: 'expected another signature',
      expected: 'another signature',
      parameterString: 'a=1',
      baseString: 'POST&https%3A%2F%2Freports.example.com%2Freport&a%3D1',
      ...(login !== undefined && { consumerKey: login }),
    },
  }
}

const ids = (name: string, count: number) => {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`)
}

const kept = new RefusedRequests()

test('finds a refused request by its id, with a copy of its body', () => {
  const added = refusal('one', 'shop', 3)
  kept.add(added, false)
  added.request?.body.fill(7)
  const { parameterString: _, ...refused } = added.refused
  const request = { ...added.request, body: Uint8Array.of(0, 0, 0) }
  expect(kept.find('one')).toMatchObject({ requestId: 'one', request, refused })
  expect(kept.find('two')).toBeUndefined()
})

test('keeps the last requests', () => {
  const all = ids('r', LIMITS.refusedRequestsMax / 2 + 3)
  for (const id of all) kept.add(refusal(id), false)
  expect(all.filter((id) => !kept.find(id))).toEqual(all.slice(0, 3))
})

test('keeps why a request was refused, and nothing else, if the request is too large', () => {
  kept.add(refusal('one', 'shop', LIMITS.refusedRequestBytesMax), false)
  const found = kept.find('one')
  expect(found?.request).toBeUndefined()
  expect(found?.refused).toMatchObject({ step: 'signature', consumerKey: 'shop' })
  expect(found?.refused).not.toHaveProperty('baseString')
})

test('a flood of strangers, of any names, pushes out no request of a known login', () => {
  kept.add(refusal('own', 'shop'), true)
  kept.add(refusal('stranger', 'nobody'), false)
  for (const id of ids('flood', 2_000)) kept.add(refusal(id, id, 100), false)
  expect(kept.find('own')).toBeDefined()
  expect(kept.find('stranger')).toBeUndefined()
})
