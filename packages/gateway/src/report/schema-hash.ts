import { createHash } from 'node:crypto'
import type { Role } from '../store/store.ts'
import { isFor, type Template } from '../templates/template.ts'

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
