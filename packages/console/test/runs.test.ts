// @module-tag long

import { readFileSync } from 'node:fs'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { expect, test } from 'vitest'
import { ask, parameters } from '../../gateway/test/kit/ask.ts'
import { expectShown, serveConsole } from './kit/serve-console.ts'

const console = await serveConsole([1000])
const { merchant } = console.sandbox.logins
const REQUEST = {
  reportIdentifier: 'transactions-list',
  ...parameters({ dateFrom: '2026-10-01', dateTo: '2026-11-01' }),
}

async function openRuns(login = merchant) {
  const page = await console.openAs(login)
  await page.getByRole('link', { name: 'Runs' }).click()
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  return page
}

test('shows the proof of the file that was sent', async () => {
  const { trailers } = await ask(console.gateway, merchant, REQUEST)
  const page = await openRuns()
  const run = page.locator('details.run').first()
  await run.locator('summary').first().click()
  const text = await run.innerText()
  const [, digest = ''] = /:(.+):/.exec(String(trailers['repr-digest'])) ?? []
  expect(text).toContain(Buffer.from(digest, 'base64').toString('hex'))
  expect(text).toContain(`${Number(trailers['counterfoil-rows']).toLocaleString('en')} rows`)
})

test('puts the request of a run into the form again', async () => {
  await ask(console.gateway, merchant, REQUEST)
  const page = await openRuns()
  await page.locator('details.run > summary').first().click()
  await page.getByRole('button', { name: 'Same request again' }).first().click()
  await expectShown(page.getByRole('heading', { name: 'Ask for a report' }))
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2026-10-01')
  expect(await page.getByLabel('To (not included)').inputValue()).toBe('2026-11-01')
})

test('saves the signed manifest, which verifies with the published key', async () => {
  await ask(console.gateway, merchant, REQUEST)
  const page = await openRuns()
  await page.locator('details.run > summary').first().click()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the signed manifest' }).first().click()
  const manifest = readFileSync(await (await saved).path(), 'utf8')
  const jwks = await fetch(new URL('/.well-known/jwks.json', console.address))
  const { payload } = await compactVerify(
    manifest,
    createLocalJWKSet((await jwks.json()) as JSONWebKeySet),
  )
  expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({ login: merchant.login })
})

test('lists older runs on demand', async () => {
  const small = { ...REQUEST, ...parameters({ dateFrom: '2026-10-01', dateTo: '2026-10-02' }) }
  for (let count = 0; count < 30; count += 1) await ask(console.gateway, merchant, small)
  const page = await openRuns()
  await page.locator('details.run').first().waitFor()
  const before = await page.locator('details.run').count()
  await page.getByRole('button', { name: 'Older runs' }).click()
  await expect.poll(() => page.locator('details.run').count()).toBeGreaterThan(before)
})
