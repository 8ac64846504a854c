import { csv } from './csv.ts'
import type { Format } from './format.ts'

/** Every format, by the name that a request gives it. A new one is a file here and a line in this table. */
export const FORMATS = { CSV: csv } as const satisfies Record<string, Format>

/** The encodings that a report can be in; a name is taken in any case. */
export const ENCODINGS = ['UTF-8'] as const
