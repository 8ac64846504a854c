import { type Catalogue, type CatalogueReport, catalogueSchema } from '@counterfoil/protocol'
import { type Asker, isMissing } from '../connection/ask.ts'
import { InvalidSettings } from '../errors/counterfoil-error.ts'

/** Asks for the catalogue of the login. */
export async function readCatalogue(asker: Asker, signal?: AbortSignal): Promise<Catalogue> {
  return await asker.json({ path: '/catalogue', expected: 'a catalogue', signal }, catalogueSchema)
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
