/** Where a command prints: a stream of its process, or one that stands for it. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean }

/** The dependencies of a command that its process provides. */
export interface Dependencies {
  readonly env: NodeJS.ProcessEnv
  readonly stdout: Output
  readonly stderr: Output
  readonly signal: AbortSignal
  readonly nowMs: () => number
}

/** How a command ends, as its process's exit code. */
export const EXIT_CODES = { complete: 0, failed: 1, usage: 2, interrupted: 130 } as const
