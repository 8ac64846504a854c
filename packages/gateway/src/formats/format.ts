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

/** A field of a row. */
export interface Field {
  /** The SQL of its text. */
  readonly text: string
  readonly mayHoldQuotes: boolean
}

/** A format that a report can be in. */
export interface Format {
  /** The value of `Content-Type`. */
  readonly contentType: (style: FormatStyle) => string
  /** How a file's name ends. */
  readonly extension: string
  /** What comes before the engine's bytes. */
  readonly head: (titles: readonly string[], style: FormatStyle) => Uint8Array
  /** The SQL of a row: its bytes, as they stand in the file. */
  readonly row: (fields: readonly Field[], style: FormatStyle) => string
  /** The engine's format that writes the rows. */
  readonly engineFormat: EngineQuery['format']
}
