// @module-tag long

// Reports that an operator or the engine ends. The short test reads reports that break by themselves.

import { expect, test } from 'vitest'
import { ask, LIST, open, parameters, problemIn, read } from '../kit/ask.ts'
import { serve, untilRunning } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

// Many more rows than the engine computes ahead of a reader.
const { sandbox, gateway } = await serveSandbox([80_000], { engine: { sessions: 1 } })

test('cuts off a report whose query the operator kills', async () => {
  const wide = { reportIdentifier: 'wide-rows', ...parameters({ width: '4000' }) }
  const answer = await open(gateway, sandbox.logins.operator, wide)
  const other = await serve(sandbox)
  await other.engine.execute(
    "KILL QUERY WHERE query LIKE '%repeat%' AND query NOT LIKE '%KILL%' ASYNC",
  )
  const length = read(answer).then(({ bytes }) => bytes.length)
  await expect(length).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(await untilRunning(other.engine, 0)).toBeLessThan(5_000)
  await other.close()
})

test('answers a report that takes too long with engine-limit, or cuts it off if it has begun', async () => {
  const hasty = await serve(sandbox, { engine: { querySeconds: 2 } })
  const sort = { reportIdentifier: 'long-sort', ...parameters({ times: '2000' }) }
  const asked = ask(hasty, sandbox.logins.operator, sort)
  const outcome = await asked.then(
    (answer) => problemIn(answer).code,
    (error: Error) => error.message,
  )
  expect(['engine-limit', 'aborted']).toContain(outcome)
  expect((await ask(hasty, sandbox.logins.operator, LIST)).status).toBe(200)
  await hasty.close()
})
