import type { Command, Option } from 'commander'
import { EXIT_CODES } from './exit-codes.ts'

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

/** A mistake in the command line or in a file that it names: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The user ended the command during a question: exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** The help heading of the options that a profile or the environment can hold. */
export const CONNECTION = 'Connection (from the option, else the variable, else the profile):'

/** A command of `counterfoil`. */
export interface CommandDescription<Options> {
  readonly name: string
  /** The line of the command in the help of the program. */
  readonly summary: string
  readonly description: string
  readonly argument?: readonly [name: string, description: string]
  readonly options: readonly Option[]
  /** The end of the help. */
  readonly help: string
  /**
   * Runs the command and returns the exit code.
   *
   * @throws {UsageError} for a wrong command line
   */
  readonly run: (options: Options, dependencies: Dependencies, argument?: string) => Promise<number>
}

/** Adds a command, which passes its exit code to `end`. Prints a `UsageError` as commander prints its own errors. */
export function addCommand<Options>(
  parent: Command,
  dependencies: Dependencies,
  end: (exitCode: number) => void,
  { name, summary, description, argument, options, help, run }: CommandDescription<Options>,
): void {
  const command = parent.command(name).summary(summary).description(description)
  command.showHelpAfterError(`See: counterfoil ${name} --help`)
  if (argument) command.argument(...argument)
  for (const option of options) command.addOption(option)
  command.addHelpText('after', help).action(async (...given) => {
    const [value, values] = argument ? given : [undefined, ...given]
    try {
      end(await run(values, dependencies, value))
    } catch (error) {
      if (error instanceof UsageError) command.error(error.message)
      if (!(error instanceof Interrupted)) throw error
      dependencies.stderr.write('counterfoil: interrupted.\n')
      end(EXIT_CODES.interrupted)
    }
  })
}
