import { csv } from './csv.ts'
import type { Format } from './format.ts'

/** Every format, by its name in requests. A new format is a file in this folder and a line in this table. */
export const FORMATS = { CSV: csv } as const satisfies Record<string, Format>

/** The encodings of reports. Requests may write a name in any case. */
export const ENCODINGS = ['UTF-8'] as const
