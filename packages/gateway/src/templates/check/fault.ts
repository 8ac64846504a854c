/** Where something stands in a report file. */
export type Path = readonly PropertyKey[]

/** Something that is not as it should be, and where. */
export interface Fault {
  readonly path: Path
  readonly expected: string
}

/** What reports are checked against beside the engine. */
export interface Known {
  /** The time zones that the engine knows. */
  readonly timezones: ReadonlySet<string>
  /** The functions that a report may not use, in small letters. */
  readonly refused: ReadonlySet<string>
}
