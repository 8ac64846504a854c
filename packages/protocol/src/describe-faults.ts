import type * as z from 'zod/mini'
import type { ProblemFault } from './outcomes.ts'

interface FaultOptions {
  /** Returns the known member that an unknown member of the object at a path may stand for. */
  readonly nearestMember?: (name: string, path: readonly PropertyKey[]) => string | undefined
  /** Masks a part of a pointer. */
  readonly mask?: (name: string) => string
  /** Describes the first faults only: each description takes time, and a request may hold 100,000 faults. */
  readonly max?: number
}

/** Describes the faults of JSON that a schema refuses, with the schema's messages. */
export function describeFaults(
  issues: readonly z.core.$ZodIssue[],
  json: unknown,
  { nearestMember, mask = (name) => name, max = Number.POSITIVE_INFINITY }: FaultOptions = {},
): readonly ProblemFault[] {
  const faults: ProblemFault[] = []
  for (const issue of issues) {
    if (faults.length >= max) break
    if (issue.code !== 'unrecognized_keys') {
      const got = isNullAt(json, issue.path) ? ', got null' : ''
      faults.push({ pointer: pointerOf(issue.path, mask), expected: `${issue.message}${got}` })
      continue
    }
    for (const key of issue.keys.slice(0, max - faults.length)) {
      const nearest = nearestMember?.(key, issue.path)
      const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
      const pointer = pointerOf([...issue.path, key], mask)
      faults.push({ pointer, expected: `${issue.message}${hint}` })
    }
  }
  return faults
}

/** Counts all faults. */
export function countFaults(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => {
    return sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1)
  }, 0)
}

/** Whether the member or element at a path is null. */
function isNullAt(json: unknown, path: readonly PropertyKey[]): boolean {
  const value = path.reduce<unknown>((parent, step) => {
    return typeof parent === 'object' && parent !== null ? Reflect.get(parent, step) : undefined
  }, json)
  return path.length > 0 && value === null
}

/** Characters of a member's name that a pointer shows. */
const NAME_LENGTH_MAX = 100

/** Formats a path as a JSON pointer (RFC 6901). Truncates very long names. */
function pointerOf(path: readonly PropertyKey[], mask: (name: string) => string): string {
  const steps = path.map((step) => {
    const name = String(step)
    const shown = name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name
    return `/${mask(shown).replaceAll('~', '~0').replaceAll('/', '~1')}`
  })
  return steps.join('')
}
