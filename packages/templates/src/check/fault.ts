/** The path of a member in a report file. */
export type Path = readonly PropertyKey[]

/** A fault in a report file, and where it is. */
export interface Fault {
  readonly path: Path
  readonly expected: string
}

/** What the check of a report needs to know about the engine. */
export interface Known {
  /** The time zones that the engine knows. */
  readonly timezones: ReadonlySet<string>
  /** The functions that a report may not use, in lower case. */
  readonly refused: ReadonlySet<string>
}
