import { FILTER_NAMES } from '@counterfoil/protocol'
import { LIMITS } from '../limits.ts'
import { envelopeSchema, inputParameter } from './envelope-schema.ts'

/** An object with more members than this has unknown ones: the envelope's objects have ten known members at most. */
const MEMBERS_MAX = 2 * LIMITS.faultsShownMax

/**
 * Drops most members of objects that have far too many, because checking 100,000 members would take long. Keeps the
 * known members, and enough unknown ones for the error.
 */
export function dropMembers(json: unknown): { readonly json: unknown; readonly dropped: number } {
  let dropped = 0
  const trim = (value: unknown, known: readonly string[]): unknown => {
    if (!isObject(value)) return value
    const names = Object.keys(value)
    if (names.length <= MEMBERS_MAX) return value
    const kept = [
      ...names.slice(0, MEMBERS_MAX),
      ...known.filter((name) => Object.hasOwn(value, name)),
    ]
    const trimmed = Object.fromEntries(kept.map((name) => [name, value[name]]))
    dropped += names.length - Object.keys(trimmed).length
    return trimmed
  }
  const envelope = trim(json, Object.keys(envelopeSchema.shape))
  if (!isObject(envelope)) return { json: envelope, dropped }
  const members = Object.entries(envelope).map(([name, value]) => {
    if (name === 'filters') return [name, trim(value, FILTER_NAMES)]
    if (!Array.isArray(value) || value.length > LIMITS.parametersMax) return [name, value]
    return [name, value.map((one) => trim(one, Object.keys(inputParameter.shape)))]
  })
  return { json: Object.fromEntries(members), dropped }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
