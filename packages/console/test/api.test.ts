import { expect, test } from 'vitest'
import { expectAccessible, expectShown, serveConsole } from './kit/serve-console.ts'

const console = await serveConsole([1000])
const REPORT_PATH = new URL(console.gateway.reportUrl).pathname
const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(1)</script>\u202E'

test('lists every method of every path of the document', async () => {
  const page = await console.open('#/api')
  await expectShown(page.getByText(`POST ${REPORT_PATH} Request a report`))
  const response = await fetch(new URL('/.well-known/openapi.json', console.address))
  const { paths } = (await response.json()) as { paths: Record<string, object> }
  const operations = Object.entries(paths).flatMap(([path, item]) => {
    const methods = Object.keys(item).filter((name) => name !== 'parameters')
    return methods.map((method) => `${method.toUpperCase()} ${path}`)
  })
  const shown = await page.locator('.api > details > summary').allTextContents()
  expect(shown.map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual(operations)
})

test('shows the members of a request, what they mean, and an example', async () => {
  const page = await console.open('#/api')
  await page.getByText('Request a report').click()
  const member = page.locator('li', { hasText: /^reportIdentifier required/ }).first()
  await expectShown(member)
  expect(await member.textContent()).toContain('the identifier of a report')
  await page.getByText('Example shortest').click()
  const shortest = page.locator('details', { hasText: /^Example shortest/ }).locator('pre')
  expect(JSON.parse((await shortest.textContent()) ?? '')).toEqual({
    reportIdentifier: 'transactions-list',
  })
})

test('a document that contains itself and hostile texts runs nothing', async () => {
  const page = await console.open()
  const tree = { properties: { [HOSTILE]: { $ref: '#/components/schemas/tree' } } }
  const get = {
    summary: HOSTILE,
    description: HOSTILE,
    responses: {
      200: { description: HOSTILE, content: { [HOSTILE]: { schema: tree, example: HOSTILE } } },
    },
  }
  const json = {
    openapi: '3.1.0',
    info: { title: HOSTILE, version: '1' },
    paths: { [`/${HOSTILE}`]: { get } },
    components: { schemas: { tree } },
  }
  await page.route('**/.well-known/openapi.json', (route) => route.fulfill({ json }))
  await page.getByRole('link', { name: 'API' }).click()
  for (let index = 0; index < 3; index += 1) await page.locator('summary').nth(index).click()
  await expectShown(page.locator('.content pre'))
  expect(await page.locator('main img, main script').count()).toBe(0)
  await expectAccessible(page)
})
