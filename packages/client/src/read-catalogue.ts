import type { Catalogue } from '@counterfoil/protocol'
import type { Asker } from './ask.ts'
import { hasTexts } from './read-failure.ts'

/** Asks for the catalogue of the login. */
export async function readCatalogue(asker: Asker, signal?: AbortSignal): Promise<Catalogue> {
  return await asker.json({ path: '/catalogue', expected: 'a catalogue', signal }, isCatalogue)
}

function isCatalogue(value: unknown): value is Catalogue {
  if (!hasTexts(value, ['login', 'role'])) return false
  const { reports } = value
  return Array.isArray(reports) && reports.every(isReport)
}

function isReport(value: unknown): boolean {
  if (!hasTexts(value, ['reportIdentifier', 'title', 'schemaHash'])) return false
  const { columns } = value
  return Array.isArray(columns) && columns.every((column) => hasTexts(column, ['name', 'kind']))
}
