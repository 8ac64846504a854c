import type { EngineQuery } from '../engine/engine.ts'

/** What a format needs to know of a request. */
export interface FormatRequest {
  readonly reportCsvDelimiter: string
}

/** A format that a report can be in. */
export interface Format {
  /** The value of `Content-Type`. */
  readonly contentType: string
  /** How a file's name ends. */
  readonly extension: string
  /** The engine's own format, where the engine writes the report's bytes. */
  readonly engineFormat: string
  readonly settings: (request: FormatRequest) => EngineQuery['settings']
}
