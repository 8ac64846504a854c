import type { Queries } from '../engine/engine.ts'
import type { ParameterValues } from './parameters.ts'

/** Loads the rules of a report's time zone into the engine. Binds `{timezone:String}` to its name there. */
export async function bindTimeZone(
  input: ParameterValues,
  engine: Queries,
): Promise<ParameterValues> {
  const timezoneName = String(input['timezone'])
  return { ...input, timezone: await engine.loadTimeZone(timezoneName), timezoneName }
}
