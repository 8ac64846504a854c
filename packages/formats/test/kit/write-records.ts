import type { FilePlan } from '../../src/format/format.ts'

/** The records of rows, as the engine sends them. */
export async function* recordsOf(rows: readonly (readonly string[])[]) {
  const text = rows.map((fields) => `${fields.join('\x1f')}\x1e`).join('')
  yield { bytes: Buffer.from(text), rows: rows.length }
}

/** Writes the file of a plan without an engine. */
export async function writeRecords(
  { write }: FilePlan,
  rows: readonly (readonly string[])[],
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const { bytes } of write(recordsOf(rows))) pieces.push(bytes)
  return Buffer.concat(pieces)
}
