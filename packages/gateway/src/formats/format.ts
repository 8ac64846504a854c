import type { EngineQuery } from '../engine/engine.ts'

/** How a report is written, apart from its values. */
export interface FormatStyle {
  /** One ASCII character. */
  readonly delimiter: string
  /** Whether a row of titles comes first. */
  readonly header: boolean
  /** Whether every field is quoted, or only the fields that need quotes. */
  readonly quoteAll: boolean
  readonly lineEnd: '\r\n' | '\n'
  readonly byteOrderMark: boolean
}

/** A field of a row. */
export interface Field {
  /** The SQL of the field's text. */
  readonly text: string
  readonly mayHoldQuotes: boolean
}

/** A file format of reports. */
export interface Format {
  /** The value of `Content-Type`. */
  readonly contentType: (style: FormatStyle) => string
  /** The extension of file names. */
  readonly extension: string
  /** Returns the bytes before the engine's bytes. */
  readonly head: (titles: readonly string[], style: FormatStyle) => Uint8Array
  /** Returns the SQL of a row: its bytes as they appear in the file. */
  readonly row: (fields: readonly Field[], style: FormatStyle) => string
  /** The engine's format for the rows. */
  readonly engineFormat: EngineQuery['format']
}
