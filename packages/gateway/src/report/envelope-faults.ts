import { FILTER_NAMES, type ProblemFault } from '@counterfoil/protocol'
import type * as z from 'zod'
import { nearestName } from '../nearest-name.ts'
import { LIMITS } from '../limits.ts'
import { withoutCardNumber } from '../without-card-number.ts'
import { envelopeSchema, inputParameter } from './envelope-schema.ts'

/** Describes the first faults only. Each description takes time, and a request may hold 100,000 faults. */
export function firstFaults(
  issues: readonly z.core.$ZodIssue[],
  json: unknown,
): readonly ProblemFault[] {
  const first: ProblemFault[] = []
  for (const issue of issues) {
    if (first.length >= LIMITS.faultsShownMax) break
    first.push(...describe(issue, json))
  }
  return first
}

/** Counts all faults. */
export function countFaults(issues: readonly z.core.$ZodIssue[]): number {
  const counts = issues.map((issue) => {
    return issue.code === 'unrecognized_keys' ? issue.keys.length : 1
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

function describe(issue: z.core.$ZodIssue, json: unknown): readonly ProblemFault[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownNames(issue.path)
    return issue.keys.slice(0, LIMITS.faultsShownMax).map((key) => ({
      pointer: pointerOf([...issue.path, key]),
      expected: expectedName(key, known),
    }))
  }
  const got = isNullAt(json, issue.path) ? ', got null' : ''
  return [{ pointer: pointerOf(issue.path), expected: `${issue.message}${got}` }]
}

/** Whether the member or element at a path is null. */
function isNullAt(json: unknown, path: readonly PropertyKey[]): boolean {
  const value = path.reduce<unknown>((parent, step) => {
    return typeof parent === 'object' && parent !== null ? Reflect.get(parent, step) : undefined
  }, json)
  return path.length > 0 && value === null
}

/** Returns the names of the members that the object at a path may have: the envelope, the filters or a parameter. */
function knownNames([member]: readonly PropertyKey[]): readonly string[] {
  if (member === undefined) return Object.keys(envelopeSchema.shape)
  return member === 'filters' ? FILTER_NAMES : Object.keys(inputParameter.shape)
}

function expectedName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
  return `no such member, but ${known.join(', ')}${hint}`
}

/** Characters of a member's name that a pointer shows. */
const NAME_LENGTH_MAX = 100

/** Formats a path as a JSON pointer (RFC 6901). Truncates very long names, and masks those with a card number. */
function pointerOf(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => {
    const name = String(step)
    const shown = name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name
    return `/${withoutCardNumber(shown).replaceAll('~', '~0').replaceAll('/', '~1')}`
  })
  return steps.join('')
}
