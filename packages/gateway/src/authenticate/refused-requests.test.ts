import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { LIMITS } from '../../../common/src/limits.ts'
import { type KeptRequest, RefusedRequests } from './refused-requests.ts'

beforeAll(() => void vi.useFakeTimers())
afterAll(() => void vi.useRealTimers())

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

test('finds a refused request by its id, with a copy of its body', () => {
  const kept = new RefusedRequests()
  const added = refusal('one', 'shop', 3)
  kept.add(added, false)
  added.request?.body.fill(7)
  const { parameterString: _, ...refused } = added.refused
  const request = { ...added.request, body: Uint8Array.of(0, 0, 0) }
  expect(kept.find('one')).toMatchObject({ requestId: 'one', request, refused })
  expect(kept.find('two')).toBeUndefined()
})

test('keeps the last requests', () => {
  const kept = new RefusedRequests()
  const all = ids('r', LIMITS.refusedRequestsMax + 3)
  for (const id of all) kept.add(refusal(id), false)
  vi.runAllTimers()
  expect(all.filter((id) => !kept.find(id))).toEqual(all.slice(0, 3))
})

test('keeps fewer requests if they are large', () => {
  const kept = new RefusedRequests()
  const bodyBytes = LIMITS.refusedRequestBytesMax - 1024
  const all = ids('r', LIMITS.refusedRequestsMax)
  for (const id of all) kept.add(refusal(id, undefined, bodyBytes), false)
  vi.runAllTimers()
  const found = all.filter((id) => kept.find(id))
  expect(found).toEqual(all.slice(-found.length))
  expect(found.length * bodyBytes).toBeLessThan(LIMITS.refusedBytesMax)
  expect((found.length + 1) * (bodyBytes + 1024)).toBeGreaterThan(LIMITS.refusedBytesMax)
})

test('keeps why a request was refused, and nothing else, if the request is too large', () => {
  const kept = new RefusedRequests()
  kept.add(refusal('one', 'shop', LIMITS.refusedRequestBytesMax), false)
  const found = kept.find('one')
  expect(found?.request).toBeUndefined()
  expect(found?.refused).toMatchObject({ step: 'signature', consumerKey: 'shop' })
  expect(found?.refused).not.toHaveProperty('baseString')
})

test('a flood of strangers, of any names, pushes out no request of a known login', () => {
  const kept = new RefusedRequests()
  kept.know('shop')
  const own = ids('own', 20)
  for (const id of own) kept.add(refusal(id, 'shop'), false)
  kept.add(refusal('stranger', 'nobody'), false)
  for (const id of ids('flood', 2_000)) kept.add(refusal(id, id, 100), false)
  for (const id of ids('large', 500)) kept.add(refusal(id, undefined, 30_000), false)
  vi.runAllTimers()
  expect(own.filter((id) => !kept.find(id))).toEqual([])
  expect(kept.find('stranger')).toBeUndefined()
})

test('floods in the names of some logins leave every other login the same share', () => {
  const kept = new RefusedRequests()
  for (const login of ['a', 'b', 'c', 'victim']) kept.know(login)
  for (const id of ids('victim', 200)) kept.add(refusal(id, 'victim'), false)
  for (const id of ids('flood', 900)) {
    for (const login of ['a', 'b', 'c']) kept.add(refusal(`${login}-${id}`, login), false)
  }
  vi.runAllTimers()
  const left = ids('victim', 200).filter((id) => kept.find(id))
  expect(left).toEqual(ids('victim', 200).slice(-LIMITS.refusedRequestsMax / 4))
})

test('gives a request its share by a timer, so that no answer takes longer for a known login', () => {
  const kept = new RefusedRequests()
  for (const id of ids('r', LIMITS.refusedRequestsMax)) kept.add(refusal(id), false)
  vi.runAllTimers()
  kept.add(refusal('last', 'shop'), true)
  expect([kept.find('last'), kept.find('r-0')]).not.toContain(undefined)
  vi.runAllTimers()
  expect(kept.find('last')).toBeDefined()
  expect(kept.find('r-0')).toBeUndefined()
})
