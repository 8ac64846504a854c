import type { Engine } from '../engine/engine.ts'
import type { ParameterValues } from './parameters.ts'

/** Gives the engine the rules of a report's time zone, and binds `{timezone:String}` to the zone's name there. */
export async function bindTimeZone(
  input: ParameterValues,
  engine: Engine,
): Promise<ParameterValues> {
  const timezoneName = String(input['timezone'])
  return { ...input, timezone: await engine.loadTimeZone(timezoneName), timezoneName }
}
