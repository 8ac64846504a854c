import { expect, test } from 'vitest'
import { runHere } from '../../../counterfoil/test/run-command.ts'
import { LIST, signRequest } from '../kit/ask.ts'
import { serve } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const FORM_TYPE = 'application/x-www-form-urlencoded'

const { sandbox, gateway } = await serveSandbox([1000])
const { merchant } = sandbox.logins

/** Runs `counterfoil explain` with the merchant's key. */
async function explain(curl: string, args: readonly string[] = ['--gateway']) {
  const env = {
    COUNTERFOIL_LOGIN: merchant.login,
    COUNTERFOIL_CONTROL_KEY: merchant.controlKey,
  }
  return await runHere(['explain', ...args], { folder: sandbox.folder, env, input: curl })
}

/** The curl command line of a request that was signed for another URL, or later changed. */
async function curlOf(
  url: string,
  {
    signedUrl = url,
    form,
    sentForm = form,
  }: { signedUrl?: string; form?: string; sentForm?: string },
): Promise<string> {
  const contentType = form === undefined ? 'application/json' : FORM_TYPE
  const asked = { sandbox, reportUrl: signedUrl }
  const { headers } = await signRequest(asked, merchant, form ?? LIST, { contentType })
  const body = sentForm ?? JSON.stringify(LIST)
  return `curl '${url}' -H 'Authorization: ${headers['Authorization']}' -H 'Content-Type: ${contentType}' --data-raw '${body}'`
}

test('compares with the base string of the sandbox', async () => {
  const curl = await curlOf(gateway.reportUrl, { signedUrl: `${gateway.reportUrl}/` })
  const { code, stdout, stderr } = await explain(curl)
  expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
  expect(stdout).toContain('(url-trailing-slash)')
  expect(stdout).toContain('The sandbox says: You signed the path with a slash at its end')
  expect(stdout).toContain('The sandbox builds the same base string as this command.')
})

test('sees through the masks of the sandbox, and shows where its address differs', async () => {
  const card = '9001000000000018'
  const form = `credit_card_number=${card}&cvv2=123&order_desc=a%20b`
  const url = new URL('/gate/api/v4/transfer/1144', gateway.reportUrl).href
  const masked = await explain(await curlOf(url, { form, sentForm: `${form}&z=1` }))
  expect(masked.stdout).toContain('The sandbox builds the same base string as this command.')
  const localhost = url.replace('127.0.0.1', 'localhost')
  const { code, stdout } = await explain(await curlOf(localhost, { form, sentForm: `${form}&z=1` }))
  expect(code).toBe(1)
  expect(stdout).toContain('The sandbox signs another URL than you sent')
  expect(stdout).toMatch(
    /in the URL\n {2}sandbox {2}POST&http%3A%2F%2F127[^]*\n {2}here {5}POST&http%3A%2F%2Flocal/,
  )
})

test('sends nothing for a right request, and nothing to a gateway in production', async () => {
  const before = gateway.lines().length
  const right = await explain(await curlOf(gateway.reportUrl, {}))
  expect(right).toMatchObject({ code: 0, stderr: '' })
  expect(gateway.lines().length).toBe(before)
  const publicUrl = 'https://reports.example.com'
  const production = await serve(sandbox, { environment: 'production', publicUrl })
  const url = `http://127.0.0.1:${production.port}${new URL(production.reportUrl).pathname}`
  const curl = await curlOf(url, { signedUrl: `${url}/` })
  const refused = await explain(curl)
  expect(refused.code).toBe(2)
  expect(refused.stdout).toContain('(url-trailing-slash)')
  expect(refused.stderr).toContain('asks a sandbox only')
  expect(production.lines().filter(({ method }) => method === 'POST')).toEqual([])
  await production.close()
})
