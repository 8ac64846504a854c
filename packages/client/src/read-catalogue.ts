import type { Catalogue } from '@counterfoil/protocol'
import { type Asker, isMissing } from './ask.ts'
import { InvalidSettings } from './counterfoil-error.ts'
import { hasTexts } from './read-failure.ts'

/** Asks for the catalogue of the login. */
export async function readCatalogue(asker: Asker, signal?: AbortSignal): Promise<Catalogue> {
  return await asker.json({ path: '/catalogue', expected: 'a catalogue', signal }, isCatalogue)
}

/**
 * Throws `InvalidSettings` if a row of a report may stand for several days: the days of such a report cannot be joined.
 * The catalogue shows it by the parameter `changedSince`, which only lists take. A gateway without a catalogue cannot
 * say.
 */
export async function checkSplittable(
  asker: Asker,
  identifier: string,
  signal?: AbortSignal,
): Promise<void> {
  const catalogue = await readCatalogue(asker, signal).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  const report = catalogue?.reports.find(({ reportIdentifier }) => reportIdentifier === identifier)
  const isList = report?.inputReportParameters.some(({ name }) => name === 'changedSince') ?? true
  if (!isList) {
    throw new InvalidSettings(`split: ${identifier} is not a list, so its days cannot be joined`)
  }
}

function isCatalogue(value: unknown): value is Catalogue {
  if (!hasTexts(value, ['login', 'role'])) return false
  const { reports } = value
  return Array.isArray(reports) && reports.every(isReport)
}

function isReport(value: unknown): boolean {
  if (!hasTexts(value, ['reportIdentifier', 'title', 'schemaHash'])) return false
  const { columns, inputReportParameters } = value
  return areNamed(columns) && areNamed(inputReportParameters)
}

function areNamed(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => hasTexts(value, ['name']))
}
