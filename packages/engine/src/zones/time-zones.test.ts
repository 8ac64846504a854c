import { afterAll, expect, test } from 'vitest'
import { openScratchEngine } from '../../../gateway/test/kit/scratch-ledger.ts'
import type { Engine } from '../engine/engine.ts'
import { createZoneCheck } from './time-zones.ts'

const scratch = await openScratchEngine()
afterAll(() => scratch.close())

const NOW = Date.UTC(2026, 10, 22)

/** An engine that has the rules of another zone for each zone. */
function engineWith(zone: string): Pick<Engine, 'stream'> {
  return {
    stream: async (query, signal) => {
      return await scratch.engine.stream(
        { ...query, parameters: { ...query.parameters, zone } },
        signal,
      )
    },
  }
}

test.each(['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'America/St_Johns', 'UTC'])(
  'accepts %s, whose rules are the same',
  async (zone) => {
    const loadTimeZone = createZoneCheck(scratch.engine, () => NOW)
    expect(await loadTimeZone(zone)).toBe(zone)
  },
)

test.each([
  ['one hour later', 'Europe/London'],
  ['without summer time', 'Africa/Lagos'],
  ['with summer time until 2014', 'Europe/Minsk'],
  ['unknown', 'Mars/Olympus_Mons'],
])('refuses a zone that is %s on the server', async (_, zone) => {
  const loadTimeZone = createZoneCheck(engineWith(zone), () => NOW)
  await expect(loadTimeZone('Europe/Berlin')).rejects.toMatchObject({
    code: 'invalid-parameter',
    message: expect.stringContaining('different rules for the time zone Europe/Berlin'),
  })
})

test('checks a zone once, and again after a failure', async () => {
  let queries = 0
  const counted: Pick<Engine, 'stream'> = {
    stream: async (query, signal) => {
      queries += 1
      const { parameters } = query
      const asked = queries === 1 ? { ...parameters, zone: 'Mars/Olympus_Mons' } : parameters
      return await scratch.engine.stream({ ...query, parameters: asked }, signal)
    },
  }
  const loadTimeZone = createZoneCheck(counted, () => NOW)
  await expect(loadTimeZone('Europe/Berlin')).rejects.toThrow('different rules')
  await loadTimeZone('Europe/Berlin')
  await loadTimeZone('Europe/Berlin')
  expect(queries).toBe(2)
})
