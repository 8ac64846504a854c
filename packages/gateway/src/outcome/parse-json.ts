import { countFaults, describeFaults } from '@counterfoil/protocol'
import * as z from 'zod'
import { fieldProblem, GatewayError, LIMITS, withoutCardNumber } from '@counterfoil/common'

/** Checks the members of a request. `nearestMember` returns the known member that a caller may have meant. */
export function parseMembers<Schema extends z.core.$ZodType>(
  schema: Schema,
  json: unknown,
  nearestMember?: (name: string, path: readonly PropertyKey[]) => string | undefined,
): z.output<Schema> {
  const parsed = z.safeParse(schema, json)
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  const options = { mask: withoutCardNumber, max: LIMITS.faultsShownMax }
  const faults = describeFaults(issues, json, {
    ...options,
    ...(nearestMember && { nearestMember }),
  })
  throw fieldProblem('invalid-field', faults, countFaults(issues))
}

/**
 * Parses the JSON of a body. Its errors do not repeat the messages of the decoder and the parser, because these quote
 * the body, which must not get into the log.
 *
 * @throws `malformed-json`
 */
export function parseJson(body: Uint8Array): unknown {
  let json: string
  try {
    json = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new GatewayError('malformed-json', 'expected a JSON object in UTF-8')
  }
  if (json.trim() === '') {
    throw new GatewayError('malformed-json', 'expected a JSON object, got an empty body')
  }
  try {
    return JSON.parse(json)
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const where = / at position \d+ \(line \d+ column \d+\)$/.exec(message)?.[0]
    const hint = where === undefined ? '' : `; the first fault is${where}`
    throw new GatewayError('malformed-json', `expected a well-formed JSON object${hint}`)
  }
}
