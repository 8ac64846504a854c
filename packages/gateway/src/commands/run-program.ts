import { type Command, CommanderError } from 'commander'
import { GatewayError, isProblemCode } from '@counterfoil/common'

// Commander's own exit code for a wrong command line.
const USAGE_ERROR = 1

/**
 * Runs a program and returns its exit code. 0 means done. 1 means failed, with the message on stderr, and also the
 * stack if the error is not the gateway's own. 2 means a wrong command line, which commander has explained. A command
 * may end with other codes.
 */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
  throwInsteadOfExit(program)
  try {
    await program.parseAsync(argv)
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === USAGE_ERROR ? 2 : error.exitCode
    console.error(error instanceof GatewayError ? `error: ${describe(error)}` : error)
    return 1
  }
}

/** The message of a problem is for callers, who get no cause. An operator needs the cause. */
function describe({ code, message, cause }: GatewayError): string {
  if (!isProblemCode(code) || !(cause instanceof Error) || cause.message === message) return message
  return `${message} Cause: ${cause.message}`
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride().showHelpAfterError('Add --help to see the options and an example.')
  for (const subcommand of command.commands) throwInsteadOfExit(subcommand)
}
