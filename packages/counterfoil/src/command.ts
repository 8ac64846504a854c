import type { Writable } from 'node:stream'
import type { Option } from 'commander'

/** A stream that a command prints to: a terminal, a file or a pipe. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number }

export interface Dependencies {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly signal: AbortSignal
}

/** A mistake in the command line or in a file that it names: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The user ended the command: exit code 130. The message says what the command left behind. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export const EXIT_CODES = {
  done: 0,
  failed: 1,
  usage: 2,
  notAuthorised: 3,
  refused: 4,
  network: 5,
  incomplete: 6,
  busy: 7,
  interrupted: 130,
} as const

/** The part of a help that lists the exit codes of a command that sends requests. */
export const EXIT_CODE_HELP = `
Exit codes:
  ${EXIT_CODES.done}    done
  ${EXIT_CODES.failed}    failed for another reason, such as a file that cannot be written
  ${EXIT_CODES.usage}    wrong command line or profile; no report was requested
  ${EXIT_CODES.notAuthorised}    the gateway did not accept the login, the key or the signature
  ${EXIT_CODES.refused}    the gateway refused the request, or failed; the message says which
  ${EXIT_CODES.network}    no connection, no answer in time, or an answer that is no gateway's
  ${EXIT_CODES.incomplete}    the answer is incomplete, or not the one that the gateway sent
  ${EXIT_CODES.busy}    the gateway is busy; retry later
  ${EXIT_CODES.interrupted}  interrupted`

export interface CommandDescription<Options> {
  readonly name: string
  /** The line of the command in the help of the program. */
  readonly summary: string
  readonly description: string
  readonly argument?: readonly [name: string, description: string]
  readonly options: readonly Option[]
  readonly help: string
  /** Returns the exit code. Throws `UsageError` for a wrong command line. */
  readonly run: (options: Options, dependencies: Dependencies, argument?: string) => Promise<number>
}
