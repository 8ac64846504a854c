import type { Engine } from '../engine/engine.ts'
import type { RequestedValues } from './parameters.ts'

/** Gives the engine the rules of a report's time zone, and binds `{timezone:String}` to the zone's name there. */
export async function bindTimeZone(
  { input, configuration }: RequestedValues,
  engine: Engine,
): Promise<RequestedValues> {
  const timezoneName = String(input['timezone'])
  const timezone = await engine.loadTimeZone(timezoneName)
  return { input: { ...input, timezone, timezoneName }, configuration }
}
