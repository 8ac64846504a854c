import { JSON_SETTINGS, jsonObject } from '@counterfoil/engine'
import type { Format } from '../format/format.ts'

// Neither this name nor `application/jsonl` is registered. More programs know this one.
const MEDIA_TYPE = 'application/x-ndjson'

/** JSON lines: a JSON object for each row, with the columns' titles as names of its members. */
export const jsonLines: Format = {
  extension: 'jsonl',
  mediaType: MEDIA_TYPE,
  // RFC 8259, 8.1: JSON is UTF-8.
  encodings: ['UTF-8'],
  parameters: [],
  plan: ({ columns: named }) => ({
    contentType: MEDIA_TYPE,
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
