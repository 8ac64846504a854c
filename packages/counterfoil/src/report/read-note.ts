import { type CounterfoilClient, CounterfoilError } from '@counterfoil/client'

const TIMEOUT_MS = 5_000

/** Reads what the catalogue says that a person must know before using the figures of a report. */
export async function readNote(
  client: CounterfoilClient,
  identifier: string,
  signal: AbortSignal,
): Promise<string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    const { reports } = await client.catalogue({ signal: limit })
    const note = reports.find(({ reportIdentifier }) => reportIdentifier === identifier)?.note
    return note === undefined ? '' : `Note: ${note}\n`
  } catch (error) {
    // The report is complete: a gateway without a catalogue is no reason to fail.
    if (error instanceof CounterfoilError || error === limit.reason) return ''
    throw error
  }
}
