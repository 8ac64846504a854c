import { FILTER_NAMES, type ProblemFault } from '@counterfoil/protocol'
import type * as z from 'zod'
import { nearestName } from '../nearest-name.ts'
import { LIMITS } from '../limits.ts'
import { envelopeSchema, inputParameter } from './envelope-schema.ts'

/** Describes the first faults only: describing one takes time, and a request may hold 100,000. */
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

/** Counts all faults, also those that are not described. */
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
  const got = isNullAt(json, issue.path) ? gotNull(issue.path) : ''
  return [{ pointer: pointerOf(issue.path), expected: `${issue.message}${got}` }]
}

/** Whether a path leads to a member or an element that is null. */
function isNullAt(json: unknown, path: readonly PropertyKey[]): boolean {
  const value = path.reduce<unknown>((parent, step) => {
    return typeof parent === 'object' && parent !== null ? Reflect.get(parent, step) : undefined
  }, json)
  return path.length > 0 && value === null
}

/** How an error about null ends: a member that has a default may be left out. */
function gotNull(path: readonly PropertyKey[]): string {
  const isMember = path.length === 1 || (path.length === 2 && path[0] === 'filters')
  const isOptional = isMember && path[0] !== 'reportIdentifier'
  return isOptional ? ', got null: leave the member out' : ', got null'
}

/** The members of the object at a path: of the envelope itself, of the filters, or of a parameter. */
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

/** A path as a JSON pointer (RFC 6901); very long names are cut. */
function pointerOf(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => {
    const name = String(step)
    const shown = name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name
    return `/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`
  })
  return steps.join('')
}
