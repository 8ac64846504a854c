import { describe, expect, test } from 'vitest'
import { viewerOf } from '../../gateway/test/kit/view-session.ts'
import {
  connectAs,
  expectAccessibleEverywhere,
  expectShown,
  serveConsole,
} from './kit/serve-console.ts'

const CHANGE = { console: { viewSessions: { minutes: 5 } } }

const console = await serveConsole([1000], CHANGE)
const { merchant, reseller } = console.sandbox.logins
const viewer = await viewerOf(console.gateway, CHANGE)

test('the root of the gateway leads to the console', async () => {
  const response = await fetch(new URL('/', console.address))
  expect(response.url).toBe(console.address)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
})

test('connects with an RSA private key, PKCS#1 or PKCS#8', async () => {
  const page = await console.open()
  await page.getByLabel('RSA private key (RSA-SHA256)').check()
  await page.getByLabel('Login').fill(merchant.login)
  await page.getByRole('textbox', { name: 'RSA private key' }).fill(`\n${merchant.privateKey}\n`)
  await page.getByRole('button', { name: 'Connect' }).click()
  await expectShown(page.getByText(merchant.login, { exact: true }))
})

test('keeps the key over a reload only if the person asks for it', async () => {
  const page = await console.openAs(merchant)
  await expectShown(page.getByText(merchant.login, { exact: true }))
  await page.reload()
  await page.getByLabel('Remember the key until I close this tab').check()
  await connectAs(page, merchant)
  await expectShown(page.getByText(merchant.login, { exact: true }))
  await page.reload()
  await expectShown(page.getByText(merchant.login, { exact: true }))
})

test('shows what the gateway says to a wrong key', async () => {
  const page = await console.openAs({ ...merchant, controlKey: 'another-key' })
  const alert = page.getByRole('alert')
  await expectShown(alert.getByText('The gateway refused this login and key.'))
  expect(await alert.textContent()).toContain('You are not authorised')
  expect(await alert.textContent()).toContain('Step that failed: signature')
})

test('forgets what the login before typed', async () => {
  const page = await console.openAs(merchant)
  await page.getByRole('link', { name: 'Payments' }).click()
  await page.getByLabel('amount (required)').fill('12.34')
  await page.getByRole('button', { name: 'Forget my key' }).click()
  await connectAs(page, reseller)
  expect(await page.getByLabel('amount (required)').inputValue()).toBe('')
})

test('forgets the key, and moves the focus to the content when the focused button disappears', async () => {
  const page = await console.openAs(merchant)
  await expectShown(page.getByRole('heading', { name: 'Ask for a report' }))
  const focused = () => page.evaluate('document.activeElement.id')
  await expect.poll(focused).toBe('main')
  expect(await page.title()).toBe('Report – Counterfoil')
  await page.getByRole('button', { name: 'Forget my key' }).press('Enter')
  await expectShown(page.getByRole('heading', { name: 'Connect' }))
  await expect.poll(focused).toBe('main')
  expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).toBe('{}')
})

describe('a view session', { tags: ['long'] }, () => {
  test('a link shows the reports of its login once, over a reload, until the person ends it', async () => {
    const { token } = await viewer.link(merchant.login)
    const page = await console.open(`#link=${token}`)
    await expectShown(page.getByText(merchant.login, { exact: true }))
    await expectShown(page.getByRole('heading', { name: 'Ask for a report' }))
    expect(page.url()).toBe(console.address)
    expect(await page.evaluate('document.cookie')).toBe('')
    await expectShown(page.getByRole('navigation').getByText('Runs'))
    expect(await page.getByRole('link', { name: 'Payments' }).count()).toBe(0)
    const second = await console.open(`#link=${token}`)
    await expectShown(second.getByText('The link is unknown, used or expired.'))
    expect(second.url()).toBe(console.address)
    await page.reload()
    await page.getByRole('button', { name: 'End the session' }).click()
    await expectShown(page.getByRole('heading', { name: 'Connect' }))
    await expect.poll(() => page.context().cookies()).toEqual([])
    await page.reload()
    await expectShown(page.getByRole('heading', { name: 'Connect' }))
    await expectAccessibleEverywhere(page)
  })

  test('a link opens in a tab that shows the console already', async () => {
    const { token } = await viewer.link(merchant.login)
    const page = await console.openAs(merchant)
    await page.getByText(merchant.login, { exact: true }).waitFor()
    await page.goto(`${console.address}#link=${token}`)
    await expectShown(page.getByRole('button', { name: 'End the session' }))
    expect(page.url()).toBe(console.address)
  })

  test('a link that is of no use leaves the key that the tab remembers', async () => {
    const page = await console.open()
    await page.getByLabel('Remember the key until I close this tab').check()
    await connectAs(page, merchant)
    await page.getByText(merchant.login, { exact: true }).waitFor()
    await page.goto(`${console.address}#link=${'A'.repeat(43)}`)
    await expectShown(page.getByText('The link is unknown, used or expired.'))
    await page.reload()
    await expectShown(page.getByRole('button', { name: 'Forget my key' }))
  })
})

test('a page of another site can neither begin a session nor use one', {
  tags: ['long'],
}, async () => {
  const { token } = await viewer.link(merchant.login)
  const { origin } = new URL(console.address)
  const begin = `fetch('${origin}/console/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ link: '${token}' }),
  }).then(({ status }) => status)`
  // A page of the kit may ask no other host.
  const context = await (await console.open()).context().browser()?.newContext()
  const page = await context?.newPage()
  if (!page) throw new Error('expected a browser')
  const form = `<form method="post" action="${origin}/console/session/reports"></form>`
  await page.route('http://evil.example.com/', (route) => {
    return route.fulfill({ contentType: 'text/html', body: form })
  })
  await page.goto('http://evil.example.com/')
  // The Chromium of the tests sends requests of other sites without a preflight, so the gateway's own check answers.
  expect(await page.evaluate(begin)).toBe(403)

  await page.goto(console.address)
  expect(await page.evaluate(begin)).toBe(204)
  await page.goto('http://evil.example.com/')
  const answered = page.waitForResponse((response) => response.url().endsWith('/session/reports'))
  await page.evaluate('document.forms[0].submit()').catch(() => {})
  const answer = await answered
  expect(answer.status()).toBe(403)
  expect((await answer.request().allHeaders())['cookie']).toBeUndefined()
})
