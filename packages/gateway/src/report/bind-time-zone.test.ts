import { expect, test } from 'vitest'
import type { Queries } from '../../../engine/src/engine/engine.ts'
import { bindTimeZone } from './bind-time-zone.ts'

/** An engine with this `loadTimeZone` and nothing else. */
function engineWith(loadTimeZone: Queries['loadTimeZone']): Pick<Queries, 'loadTimeZone'> {
  return { loadTimeZone }
}

test('binds the zone’s name in the engine, and its own name', async () => {
  const engine = engineWith(async (timezone) => `engine/${timezone}`)
  const { signal } = new AbortController()
  expect(await bindTimeZone({ timezone: 'Europe/Berlin', a: '1' }, engine, signal)).toEqual({
    timezone: 'engine/Europe/Berlin',
    timezoneName: 'Europe/Berlin',
    a: '1',
  })
})

test('a caller that leaves does not wait for a zone that the engine does not load', async () => {
  const engine = engineWith(() => new Promise(() => {}))
  const leaving = new AbortController()
  const bound = bindTimeZone({ timezone: 'Europe/Berlin' }, engine, leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(bound).rejects.toThrow('gone')
})
