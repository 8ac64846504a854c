import { expect, test } from 'vitest'
import { CounterfoilClient, type Credentials, type ViewSession } from '../src/index.ts'
import { CONTROL_KEY, LOGIN, refuse, startGateway } from './fixture-gateway.ts'

// packages/gateway/test/view-sessions/browser.test.ts gets reports in a page of a real gateway.

/** Requests a report of a gateway that refuses it, and returns what the client gave to `fetch`. */
async function requestOf(credentials: Credentials | ViewSession) {
  const { endpoint } = await startGateway((response) => refuse(response, 'enough'))
  const sent: RequestInit[] = []
  const client = new CounterfoilClient({
    endpoint,
    ...credentials,
    fetch: async (url, init) => {
      sent.push(init)
      return await fetch(url, init)
    },
  })
  await expect(client.report('transactions-list')).rejects.toMatchObject({ code: 'not-authorised' })
  const [{ credentials: cookies, headers } = {}] = sent
  return { cookies, headers }
}

test('of a view session, signs nothing, and lets the browser send the cookie', async () => {
  const { cookies, headers } = await requestOf({ login: LOGIN, viewSession: true })
  expect(cookies).toBe('same-origin')
  expect(headers).toMatchObject({ 'Content-Type': 'application/json' })
  expect(headers).not.toHaveProperty('Authorization')
})

test('with a key, signs, and sends no cookie of the page', async () => {
  const { cookies, headers } = await requestOf({ login: LOGIN, controlKey: CONTROL_KEY })
  expect(cookies).toBe('omit')
  expect(headers).toMatchObject({ Authorization: expect.stringMatching(/^OAuth /) })
})

test('of a view session, has no operations', () => {
  const apiUrl = 'https://gate.example.com/gate'
  expect(() => new CounterfoilClient({ apiUrl, login: LOGIN, viewSession: true })).toThrow(
    'apiUrl: a view session has no operations',
  )
})
