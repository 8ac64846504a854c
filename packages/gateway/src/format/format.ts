import type { EngineQuery } from '../engine/engine.ts'

/** How a file is written around its values. */
export interface FormatStyle {
  /** One ASCII character. */
  readonly delimiter: string
  /** Whether the titles come first. */
  readonly header: boolean
  /** Whether every field is in quotes, or only one that needs them. */
  readonly quoteAll: boolean
  readonly lineEnd: '\r\n' | '\n'
  readonly byteOrderMark: boolean
}

/** A format that a report can be in. */
export interface Format {
  /** The value of `Content-Type`. */
  readonly contentType: (style: FormatStyle) => string
  /** How a file's name ends. */
  readonly extension: string
  /** What comes before the engine's bytes. */
  readonly head: (titles: readonly string[], style: FormatStyle) => Uint8Array
  /** The SQL of a row, from the SQL of its texts: the row's bytes, as they stand in the file. */
  readonly row: (texts: readonly string[], style: FormatStyle) => string
  /** The engine's format that writes the rows. */
  readonly engineFormat: EngineQuery['format']
}
