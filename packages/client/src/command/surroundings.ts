/** What a command has of its process. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly signal: AbortSignal
  readonly nowMs: () => number
}

/** How a command ends, as its process's exit code. */
export const EXIT_CODES = { complete: 0, failed: 1, usage: 2, interrupted: 130 } as const
