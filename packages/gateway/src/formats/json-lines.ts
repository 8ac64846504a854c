import { JSON_SETTINGS, jsonObject } from '../clickhouse/json-columns.ts'
import type { Format } from './format.ts'

/** JSON lines: a JSON object for each row, with the columns' titles as names of its members. */
export const jsonLines: Format = {
  extension: 'jsonl',
  // RFC 8259, 8.1: JSON is UTF-8.
  encodings: ['UTF-8'],
  parameters: [],
  plan: ({ columns: named }) => ({
    // Neither this name nor `application/jsonl` is registered. More programs know this one.
    contentType: 'application/x-ndjson',
    select: (columns) => {
      const members = columns.map((column, index) => ({
        ...column,
        name: named[index]?.title ?? '',
      }))
      return String.raw`concat(${jsonObject(members)}, '\n')`
    },
    rows: 'texts',
    settings: JSON_SETTINGS,
    write: (chunks) => chunks,
  }),
}
