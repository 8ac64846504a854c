/** A stream that a command prints to. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean }

/** The dependencies of a command that its process provides. */
export interface Dependencies {
  readonly env: NodeJS.ProcessEnv
  readonly stdout: Output
  readonly stderr: Output
  readonly signal: AbortSignal
  readonly nowMs: () => number
}

/** The exit codes of a command. */
export const EXIT_CODES = { complete: 0, failed: 1, usage: 2, interrupted: 130 } as const
