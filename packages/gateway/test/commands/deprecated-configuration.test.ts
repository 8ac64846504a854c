import { expect, test } from 'vitest'
import { serveSandbox } from '../kit/served-sandbox.ts'

const { gateway } = await serveSandbox([0], { operations: { apiPathPrefix: '/old' } })

test('a start with the deprecated "operations" serves them and logs one warning', async () => {
  const discovery = await fetch(new URL('/.well-known/counterfoil', gateway.reportUrl))
  const { origin } = new URL(gateway.reportUrl)
  expect(await discovery.json()).toMatchObject({
    operationUrls: { transfer: `${origin}/old/api/v4/transfer/` },
  })
  const warnings = gateway.lines().filter(({ level }) => level === 'warn')
  expect(warnings.filter(({ msg }) => String(msg).includes('deprecated'))).toEqual([
    expect.objectContaining({
      msg: expect.stringMatching(
        /gateway-\d+\.yaml:\d+: "operations" is deprecated\. Write "payments" instead\.$/,
      ),
    }),
  ])
})
