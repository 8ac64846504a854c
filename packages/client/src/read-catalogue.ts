import type { Catalogue, CatalogueReport } from '@counterfoil/protocol'
import { type Asker, isMissing } from './ask.ts'
import { InvalidSettings } from './counterfoil-error.ts'
import { hasTexts } from './read-failure.ts'

/** Asks for the catalogue of the login. */
export async function readCatalogue(asker: Asker, signal?: AbortSignal): Promise<Catalogue> {
  return await asker.json({ path: '/catalogue', expected: 'a catalogue', signal }, isCatalogue)
}

/** Finds a report in the catalogue. Returns undefined if the gateway has no catalogue, or no such report. */
export async function findReport(
  asker: Asker,
  identifier: string,
  signal?: AbortSignal,
): Promise<CatalogueReport | undefined> {
  const catalogue = await readCatalogue(asker, signal).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  return catalogue?.reports.find(({ reportIdentifier }) => reportIdentifier === identifier)
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
  const report = await findReport(asker, identifier, signal)
  const isList = report?.inputReportParameters.some(({ name }) => name === 'changedSince') ?? true
  if (!isList) {
    throw new InvalidSettings(`split: ${identifier} is not a list, so its days cannot be joined`)
  }
}

function isCatalogue(value: unknown): value is Catalogue {
  if (!hasTexts(value, ['login', 'role'])) return false
  const { reports } = value
  return isListOf(reports, isReport)
}

function isReport(value: unknown): boolean {
  if (!hasTexts(value, ['reportIdentifier', 'title', 'schemaHash'])) return false
  const { columns, formats, inputReportParameters } = value
  return (
    isListOf(columns, (column) => hasTexts(column, ['name', 'kind', 'about'])) &&
    isListOf(formats, (format) => typeof format === 'string') &&
    isListOf(inputReportParameters, (parameter) => hasTexts(parameter, ['name', 'title', 'type']))
  )
}

function isListOf(value: unknown, isElement: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isElement)
}
