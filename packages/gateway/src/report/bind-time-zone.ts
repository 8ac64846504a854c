import type { Queries } from '../engine/engine.ts'
import { unlessAborted } from '../unless-aborted.ts'
import type { ParameterValues } from './parameters.ts'

/** Loads the rules of a report's time zone into the engine. Binds `{timezone:String}` to its name there. */
export async function bindTimeZone(
  input: ParameterValues,
  engine: Pick<Queries, 'loadTimeZone'>,
  signal: AbortSignal,
): Promise<ParameterValues> {
  const timezoneName = String(input['timezone'])
  const timezone = await unlessAborted(engine.loadTimeZone(timezoneName), signal)
  return { ...input, timezone, timezoneName }
}
