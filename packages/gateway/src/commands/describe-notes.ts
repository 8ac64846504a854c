import { basename } from 'node:path'
import type { ImportNotes, RowPlace } from '@counterfoil/ledger'
import { table } from './table.ts'

/** Describes what an import says beside its counts: cut times, skipped rows, and rules that rows broke. */
export function describeNotes(
  { cut, skipped, skippedPlaces, rules }: ImportNotes,
  files: readonly string[],
): readonly string[] {
  const notes: string[] = []
  if (cut > 0) {
    notes.push(`The import cut digits after the milliseconds in the times of ${rowsOf(cut)}.`)
  }
  if (skipped > 0) {
    const first = placesOf(skippedPlaces, files)
    const advice = 'A correction needs a higher row_version or a later updated_at'
    notes.push(
      `${rowsOf(skipped)} skipped: the ledger has a newer version. First: ${first}. ${advice}.`,
    )
  }
  if (rules.length > 0) {
    const lines = rules.map(({ name, severity, rows, places, sentence }) => {
      const said = severity === 'refuse' ? 'refused' : 'warned'
      return [name, said, rows.toLocaleString('en-US'), placesOf(places, files), sentence]
    })
    notes.push(table(['RULE', '', 'ROWS', 'FIRST LINES', 'WHAT IT SAYS'], lines))
  }
  return notes
}

function rowsOf(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'row' : 'rows'}`
}

function placesOf(places: readonly RowPlace[], files: readonly string[]): string {
  const named = places.map(({ file, line }) => {
    return files.length === 1 ? String(line) : `${basename(files[file - 1] ?? '')}:${line}`
  })
  return named.join(', ')
}
