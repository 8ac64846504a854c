import { createHash } from 'node:crypto'
import type { Role } from '@counterfoil/common'
import { isFor, type Template } from '@counterfoil/templates'

/** Returns a short hash of the columns that a role may see, which changes when they change. */
export function schemaHashOf({ identifier, columns }: Template, role: Role): string {
  const seen = columns
    .filter((column) => isFor(column, role))
    .map(({ name, kind, optional }) => [name, kind, optional])
  return createHash('sha256')
    .update(JSON.stringify([identifier, seen]))
    .digest('hex')
    .slice(0, 16)
}
