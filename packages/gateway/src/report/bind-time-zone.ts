import type { Queries } from '@counterfoil/engine'
import { unlessAborted } from '@counterfoil/common'
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
