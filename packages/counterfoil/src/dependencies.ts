/** A stream that a command prints to. */
export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean
  /** The width of a terminal. */
  readonly columns?: number
}

/** The stream that a command reads answers from. */
type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean }

/** The dependencies of a command that its process provides. */
export interface Dependencies {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly signal: AbortSignal
}
